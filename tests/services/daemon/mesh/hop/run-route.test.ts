import { describe, expect, test } from "bun:test";
import type { MeshRun } from "../../../../../src/contracts/daemon/mesh-run.ts";
import { answerHeader, MessageSigner, signatureHeader } from "../../../../../src/mesh/message-signature.ts";
import { startDaemon, type TestDaemon } from "../../../../support/daemon.ts";

const secret = "mesh-secret-of-at-least-32-bytes-!";
const path = "/v1/mesh/run";

const startNode = (key = secret) =>
  startDaemon({
    configure: (config) => ({
      ...config,
      mesh: {
        nodeName: "n1",
        address: "127.0.0.1:8000",
        seeds: [],
        ...(key !== "" && { secret: key }),
        tickMs: 1_000,
        gossipMs: 1_000,
        suspectMs: 5_000,
        deadMs: 15_000,
      },
    }),
  });

const run = (over: Partial<MeshRun> = {}): MeshRun => ({
  from: "n2",
  to: "n1",
  agent: "helper",
  sender: "stranger",
  session_id: "s1",
  query: "Hello?",
  context: {},
  stream: false,
  ...over,
});

/** Sends a run to the daemon as node n2. */
async function send(daemon: TestDaemon, body: unknown, withSecret = secret) {
  const signer = new MessageSigner(withSecret, daemon.clock);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const header = signer.sign({ nodeId: "n2", incarnation: 1 }, path, text);
  const post = () => daemon.call("POST", path, { body: text, headers: { [signatureHeader]: header } });
  return { signer, header, post, answer: await post() };
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

  test("a wrong secret, a missing signature, and a repeated run", async () => {
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

  test("a node that leaves takes none, and runs its own callers' agents", async () => {
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

  test("without a secret, nobody speaks for the owner", async () => {
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
