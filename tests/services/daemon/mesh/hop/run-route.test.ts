import { describe, expect, test } from "bun:test";
import { answerHeader, MessageSigner, signatureHeader } from "../../../../../src/mesh/message-signature.ts";
import { readWhole as readAnswer } from "../../../../../src/services/daemon/mesh/hop/whole-answer.ts";
import { answerOf, type TestDaemon } from "../../../../support/daemon.ts";
import {
  agentWithTool,
  meshRun as run,
  startMeshDaemon as startNode,
} from "../../../../support/mesh-daemon.ts";
import { meshSecret } from "../../../../support/mesh-secret.ts";
import { untilTrue } from "../../../../support/until-true.ts";

const secret = meshSecret;
const path = "/v1/mesh/run";

// biome-ignore lint/suspicious/noExplicitAny: events and errors are compared by their fields.
const readWhole = (text: string) => readAnswer(text) as any;

/** Begins to send a run to the daemon as node n2; `accept` as an earlier version does. */
function start(daemon: TestDaemon, body: unknown, withSecret = secret, accept = "application/json") {
  const signer = new MessageSigner(withSecret, daemon.clock);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const header = signer.sign({ nodeId: "n2", incarnation: 1 }, path, text);
  const headers = { [signatureHeader]: header, accept };
  const post = () => fetch(`${daemon.url}${path}`, { method: "POST", body: text, headers });
  return { signer, header, post, response: post() };
}

/** Sends a run and reads the answer. */
async function send(...sent: Parameters<typeof start>) {
  const { signer, header, post, response } = start(...sent);
  return { signer, header, post: async () => answerOf(await post()), answer: await answerOf(await response) };
}

test("the answer is signed, its lines too, and the last event is the result", async () => {
  await using daemon = await startNode();
  const { signer, header, answer } = await send(daemon, run());
  expect(answer.status).toBe(200);
  signer.verifyAnswer(header, answer.headers.get(answerHeader), path);
  const lines = answer.text.split("\n").filter((line) => line !== "");
  const events = JSON.parse(lines.at(-1)?.replace(/^\S+ /, "") ?? "");
  expect(events.at(-1)).toMatchObject({
    type: "done",
    result: { response: "Hello there.", session_id: "s1" },
  });
  const trace = await daemon.call("GET", `/v1/traces/${events.at(-1).result.trace_id}`);
  expect(trace.body.spans[0].attributes).toMatchObject({ routed_from: "n2" });
});

describe("a run of a node that takes whole answers", () => {
  const both = "application/x-ndjson, application/json";
  const typeOf = (answer: { headers: Headers }) => answer.headers.get("content-type");

  test("is answered whole when it ends at once, with the trace as it is stored", async () => {
    await using daemon = await startNode();
    const { signer, header, answer } = await send(daemon, run(), secret, both);
    expect(typeOf(answer)).toBe("application/json");
    signer.verifyAnswer(header, answer.headers.get(answerHeader), answer.text);
    const done = readWhole(answer.text).at(-1);
    expect(done).toMatchObject({ type: "done", result: { response: "Hello there." } });
    const [, trace = ""] = answer.text.split("\n");
    expect(JSON.parse(trace)).toEqual(done.trace);
  });

  test("gets the run's own error whole", async () => {
    await using daemon = await startNode(secret, { models: { lab: [{ status: 400, body: "{}" }] } });
    const { signer, header, answer } = await send(daemon, run(), secret, both);
    expect([answer.status, typeOf(answer)]).toEqual([200, "application/json"]);
    signer.verifyAnswer(header, answer.headers.get(answerHeader), answer.text);
    expect(readWhole(answer.text).error.code).toBeString();
  });

  test("begins in lines when the run takes longer than 250 ms", async () => {
    const model = Promise.withResolvers<void>();
    await using daemon = await startNode(secret, {
      models: { lab: [{ text: "Late.", after: model.promise }] },
    });
    const sent = send(daemon, run(), secret, both);
    await untilTrue(() => daemon.models.lab.requests.length === 1);
    await daemon.clock.advance(250);
    model.resolve();
    const { signer, header, answer } = await sent;
    expect([typeOf(answer), answer.text.startsWith("\n")]).toEqual(["application/x-ndjson", true]);
    signer.verifyAnswer(header, answer.headers.get(answerHeader), path);
    expect(answer.text).toContain('"type":"done"');
  });

  test("begins in lines before a tool has its effects", async () => {
    const model = Promise.withResolvers<void>();
    await using daemon = await startNode(secret, agentWithTool(model.promise));
    const { response } = start(daemon, run(), secret, both);
    const { headers, body } = await response;
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    model.resolve();
    const text = await new Response(body).text();
    expect(text.indexOf("tool_call")).toBeLessThan(text.indexOf('"done"'));
  });
});

describe("refusals", () => {
  test.each<[string, unknown, number, string]>([
    ["a run for another node", run({ to: "n3" }), 421, "other_node"],
    ["a run in another node's name", run({ from: "n3" }), 403, "not_own_name"],
    ["an agent that is not here", run({ agent: "nobody" }), 404, "agent_not_found"],
    ["an override of an owner's agent", run({ override: { temperature: 1 } }), 400, "invalid_override"],
    ["no query", { ...run(), query: undefined }, 400, "invalid_request"],
    ["no JSON", "{", 400, "invalid_request"],
    ["nothing", "", 400, "invalid_request"],
  ])("%s", async (_, body, status, code) => {
    await using daemon = await startNode();
    const { answer } = await send(daemon, body);
    expect([answer.status, answer.body.error]).toEqual([status, code]);
    expect(daemon.models.lab.requests).toHaveLength(0);
  });

  test("a wrong secret, a missing signature and a repeated run are 401", async () => {
    await using daemon = await startNode();
    const stranger = await send(daemon, run(), "x".repeat(32));
    expect([stranger.answer.status, stranger.answer.body.error]).toEqual([401, "mesh_signature_invalid"]);
    const unsigned = await daemon.call("POST", path, { body: run() });
    expect([unsigned.status, unsigned.body.error]).toEqual([401, "mesh_signature_missing"]);
    const { post } = await send(daemon, run());
    const again = await post();
    expect([again.status, again.body.error]).toEqual([401, "mesh_message_repeated"]);
    expect(daemon.models.lab.requests).toHaveLength(1);
  });

  test("a node that leaves answers 503, and runs its own callers' agents", async () => {
    await using daemon = await startNode();
    await daemon.asOwner("POST", "/v1/mesh/leave", { body: { node_id: "n1" } });
    const { answer } = await send(daemon, run());
    expect([answer.status, answer.body.error]).toEqual([503, "node_draining"]);
    expect((await daemon.call("GET", "/readyz")).status).toBe(503);
    expect((await daemon.run("helper", { query: "Hello?" })).status).toBe(200);
    await daemon.asOwner("POST", "/v1/mesh/join", {
      body: { node_id: "n1", address: "127.0.0.1:8000", agents: [] },
    });
    expect((await daemon.call("GET", "/readyz")).status).toBe(200);
    expect((await send(daemon, run())).answer.status).toBe(200);
  });

  test("without a secret a call as the owner is 400", async () => {
    await using daemon = await startNode("");
    const over = { sender: "owner", override: { temperature: 1 } } as const;
    const { answer } = await send(daemon, run(over), "");
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_override"]);
  });

  test("only the owner invites", async () => {
    await using daemon = await startNode();
    expect((await daemon.call("POST", "/v1/mesh/invite")).body.error).toBe("owner_needed");
  });
});
