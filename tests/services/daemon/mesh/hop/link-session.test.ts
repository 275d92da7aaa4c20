import { describe, expect, test } from "bun:test";
import type { MeshRun } from "../../../../../src/contracts/daemon/mesh-run.ts";
import { MessageSigner, signatureHeader } from "../../../../../src/mesh/message-signature.ts";
import {
  framesOf,
  frameText,
  type LinkFrame,
  linkPath,
  refusalText,
} from "../../../../../src/services/daemon/mesh/hop/link-frames.ts";
import { runPath } from "../../../../../src/services/daemon/mesh/hop/node-exchange.ts";
import { LineReader } from "../../../../../src/services/daemon/mesh/hop/run-lines.ts";
import { readWhole } from "../../../../../src/services/daemon/mesh/hop/whole-answer.ts";
import type { TestDaemon } from "../../../../support/daemon.ts";
import { agentWithTool, meshRun, startMeshDaemon } from "../../../../support/mesh-daemon.ts";
import { meshSecret } from "../../../../support/mesh-secret.ts";
import { untilTrue } from "../../../../support/until-true.ts";

/** Opens a link to the daemon as node n2. */
async function openLink(daemon: TestDaemon, secret = meshSecret) {
  const signer = new MessageSigner(secret, daemon.clock);
  const self = { nodeId: "n2", incarnation: 1 };
  const headers = { [signatureHeader]: signer.sign(self, linkPath, "") };
  const socket = new WebSocket(`${daemon.url.replace("http", "ws")}${linkPath}`, { headers } as never);
  const frames: LinkFrame[] = [];
  const closed = Promise.withResolvers<number>();
  const opened = Promise.withResolvers<void>();
  socket.onmessage = ({ data }) => frames.push(...framesOf(String(data)));
  socket.onopen = () => opened.resolve();
  socket.onclose = ({ code }) => {
    opened.reject(new Error("The link was refused."));
    closed.resolve(code);
  };
  await opened.promise;
  return {
    signer,
    socket,
    frames,
    closed: closed.promise,
    /** Sends a run and returns its signature. */
    send(number: number, over: Partial<MeshRun> = {}) {
      const text = JSON.stringify(meshRun(over));
      const signature = signer.sign(self, runPath, text);
      socket.send(frameText("run", number, signature, text));
      return signature;
    },
    /** Returns the first frame of this kind, once it has come. */
    async frame(kind: string, number: number): Promise<LinkFrame> {
      const found = () => frames.find((frame) => frame.kind === kind && frame.number === number);
      await untilTrue(() => found() !== undefined);
      return found() as LinkFrame;
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

const macOf = (signature: string) => signature.slice(signature.lastIndexOf(",") + 1);

test("a run that ends at once is answered whole, and its trace is on the node", async () => {
  await using daemon = await startMeshDaemon();
  using link = await openLink(daemon);
  const signature = link.send(7);
  const { seal, text } = await link.frame("whole", 7);
  link.signer.verifyAnswer(signature, seal, text);
  // biome-ignore lint/suspicious/noExplicitAny: events are compared by their fields.
  const done = (readWhole(text) as any).at(-1);
  expect(done).toMatchObject({ type: "done", result: { response: "Hello there.", session_id: "s1" } });
  const trace = await daemon.call("GET", `/v1/traces/${done.result.trace_id}`);
  expect(trace.body.spans[0].attributes).toMatchObject({ routed_from: "n2" });
});

test("a run with a tool begins in lines before the tool has its effects", async () => {
  const model = Promise.withResolvers<void>();
  await using daemon = await startMeshDaemon(meshSecret, agentWithTool(model.promise));
  using link = await openLink(daemon);
  const signature = link.send(1);
  const { seal } = await link.frame("head", 1);
  link.signer.verifyAnswer(signature, seal, runPath);
  const linesSoFar = () => link.frames.filter(({ kind }) => kind === "lines").map(({ text }) => text);
  await untilTrue(() => linesSoFar().join("").includes("tool_call"));
  model.resolve();
  await link.frame("end", 1);
  const reader = new LineReader(link.signer, macOf(signature));
  const events = linesSoFar().flatMap((text) => reader.push(text).flat());
  expect(events.at(-1)).toMatchObject({ type: "done", result: { response: "It is noon." } });
});

test("a run that takes longer than 250 ms begins, and gives signs of life every second", async () => {
  const model = Promise.withResolvers<void>();
  await using daemon = await startMeshDaemon(meshSecret, {
    models: { lab: [{ text: "Late.", after: model.promise }] },
  });
  using link = await openLink(daemon);
  link.send(1);
  await untilTrue(() => daemon.models.lab.requests.length === 1);
  await daemon.clock.advance(250);
  await link.frame("head", 1);
  await daemon.clock.advance(1_000);
  await untilTrue(() => link.frames.filter(({ text }) => text === "\n").length === 2);
  model.resolve();
  await link.frame("end", 1);
});

describe("refusals are signed", () => {
  test.each<[string, Partial<MeshRun>, string]>([
    ["of a run for another node", { to: "n3" }, "other_node"],
    ["of a run in another node's name", { from: "n3" }, "not_own_name"],
    ["of an unknown agent", { agent: "nobody" }, "agent_not_found"],
    ["of a run without a query", { query: 7 as never }, "invalid_request"],
  ])("%s", async (_, over, code) => {
    await using daemon = await startMeshDaemon();
    using link = await openLink(daemon);
    const signature = link.send(1, over);
    const { seal, text } = await link.frame("refused", 1);
    link.signer.verifyAnswer(signature, seal, refusalText(text));
    expect(JSON.parse(text).error.code).toBe(code);
    expect(daemon.models.lab.requests).toHaveLength(0);
  });

  test("of a repeated run, whether it comes by a link or in a request", async () => {
    await using daemon = await startMeshDaemon();
    using link = await openLink(daemon);
    const signature = link.send(1);
    await link.frame("whole", 1);
    const text = JSON.stringify(meshRun());
    link.socket.send(frameText("run", 2, signature, text));
    const { text: refusal } = await link.frame("refused", 2);
    expect(JSON.parse(refusal).error.code).toBe("mesh_message_repeated");
    const headers = { [signatureHeader]: signature };
    const posted = await daemon.call("POST", runPath, { body: text, headers });
    expect(posted.body.error).toBe("mesh_message_repeated");
    expect(daemon.models.lab.requests).toHaveLength(1);
  });

  test("of a changed run", async () => {
    await using daemon = await startMeshDaemon();
    using link = await openLink(daemon);
    const signature = link.signer.sign({ nodeId: "n2", incarnation: 1 }, runPath, JSON.stringify(meshRun()));
    link.socket.send(frameText("run", 1, signature, JSON.stringify(meshRun({ query: "Other?" }))));
    expect(JSON.parse((await link.frame("refused", 1)).text).error.code).toBe("mesh_signature_invalid");
    expect(daemon.models.lab.requests).toHaveLength(0);
  });

  test("of runs for a node that leaves", async () => {
    await using daemon = await startMeshDaemon();
    using link = await openLink(daemon);
    await daemon.asOwner("POST", "/v1/mesh/leave", { body: { node_id: "n1" } });
    link.send(1);
    expect(JSON.parse((await link.frame("refused", 1)).text).error.code).toBe("node_draining");
  });
});

describe("a link is refused", () => {
  test("to a node with another secret, and without a signature: 401", async () => {
    await using daemon = await startMeshDaemon();
    expect(openLink(daemon, "x".repeat(32))).rejects.toThrow("refused");
    const { status, body } = await daemon.call("GET", linkPath);
    expect([status, body.error]).toEqual([401, "mesh_signature_missing"]);
  });

  test("with the signature of another path, or a repeated one", async () => {
    await using daemon = await startMeshDaemon();
    const signer = new MessageSigner(meshSecret, daemon.clock);
    const ask = (signature: string) =>
      daemon.call("GET", linkPath, { headers: { [signatureHeader]: signature } });
    const self = { nodeId: "n2", incarnation: 1 };
    expect((await ask(signer.sign(self, runPath, ""))).body.error).toBe("mesh_signature_invalid");
    const signature = signer.sign(self, linkPath, "");
    // It is no handshake, but its signature is right once.
    expect((await ask(signature)).body.error).toBe("websocket_required");
    expect((await ask(signature)).body.error).toBe("mesh_message_repeated");
  });
});

describe("cancelling", () => {
  const staged = async () => {
    const daemon = await startMeshDaemon(meshSecret, {
      models: { lab: [{ text: "Never.", after: new Promise(() => {}) }] },
    });
    const link = await openLink(daemon);
    link.send(1);
    await untilTrue(() => daemon.models.lab.requests.length === 1);
    return { daemon, link };
  };

  test("`gone` cancels one run", async () => {
    const { daemon, link } = await staged();
    await using _ = daemon;
    link.send(2, { session_id: "s2" });
    await untilTrue(() => daemon.models.lab.requests.length === 2);
    link.socket.send(frameText("gone", 1));
    await daemon.models.lab.requests[0]?.cut;
    expect((await daemon.call("GET", "/metrics")).text).toContain("platform_runs_in_flight 1");
    link.socket.close();
    await daemon.models.lab.requests[1]?.cut;
  });

  test("closing the link cancels its runs", async () => {
    const { daemon, link } = await staged();
    await using _ = daemon;
    link.socket.close();
    await daemon.models.lab.requests[0]?.cut;
  });
});

test("a binary message closes the link", async () => {
  await using daemon = await startMeshDaemon();
  using link = await openLink(daemon);
  link.socket.send(Uint8Array.of(1));
  expect(await link.closed).toBe(1008);
});
