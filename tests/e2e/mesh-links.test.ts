import { expect } from "bun:test";
import { executableTest, type ServerProcess } from "../support/executable.ts";
import { agentFiles, type MeshNodes, patientMesh, startMeshNodes } from "../support/mesh-nodes.ts";
import type { ModelScript, ModelStep } from "../support/model-server.ts";
import { untilTrue } from "../support/until-true.ts";

const hello: ModelStep = { text: "Hello from afar." };

const metrics = async (node: ServerProcess) => (await node.call("GET", "/metrics")).text;

/** Nodes of which `a` has no agents, with links from it to all others. */
async function linkedNodes(
  others: readonly string[],
  models: ModelScript,
  spec: Record<string, unknown> = {},
): Promise<MeshNodes> {
  const agents = Object.fromEntries(others.map((name) => [name, agentFiles("helper")]));
  const mesh = await startMeshNodes({ agents: { a: {}, ...agents }, models, spec: () => spec });
  await linked(mesh, others.length);
  return mesh;
}

/** Sends runs until node `a` has so many links. */
async function linked(mesh: MeshNodes, count: number): Promise<void> {
  const a = mesh.get("a");
  await untilTrue(async () => {
    expect((await a.run("helper", "Hello?")).status).toBe(200);
    return (await metrics(a)).includes(`platform_mesh_links ${count}\n`);
  });
}

/** True for a run of those that open the links. */
const isEarly = (messages: unknown) => !JSON.stringify(messages).includes("Now");

executableTest("a run over a link looks as if it had been here, and its trace is on both nodes", async () => {
  await using mesh = await linkedNodes(["b"], ({ body }) =>
    JSON.stringify(body.messages).includes("Fail") ? { status: 400, body: "{}" } : hello,
  );
  const [a, b] = [mesh.get("a"), mesh.get("b")];
  const answer = await a.run("helper", "Hello?", "s1");
  expect(answer).toMatchObject({ status: 200, body: { response: "Hello from afar.", session_id: "s1" } });
  expect(await b.history("helper", "s1")).toEqual(["user: Hello?", "assistant: Hello from afar."]);
  for (const node of [a, b]) {
    const trace = await node.call("GET", `/v1/traces/${answer.body.trace_id}`);
    expect(trace.body.spans[0].attributes).toMatchObject({ routed_from: "a", session: "s1" });
  }
  const failed = await a.run("helper", "Fail.", "s2");
  expect([failed.status, failed.body.error]).toEqual([502, "provider_failed"]);
  expect(await metrics(a)).toContain("platform_mesh_links 1\n");
});

executableTest(
  "many large questions and answers at once come over a link whole, separators included",
  async () => {
    const separated = "\u001e漢字\n\u001ewhole 1\n";
    const large = separated.repeat(40_000);
    const models: ModelScript = ({ body }) => (isEarly(body.messages) ? hello : { text: large });
    await using mesh = await linkedNodes(["b"], models, patientMesh);
    const a = mesh.get("a");
    const query = `Now? ${separated.repeat(1_000)}`;
    const sessions = Array.from({ length: 16 }, (_, index) => `s${index}`);
    const answers = await Promise.all(sessions.map((session) => a.run("helper", query, session)));
    expect(answers.map(({ status, body }) => [status, body.response === large])).toEqual(
      sessions.map(() => [200, true]),
    );
    expect(await metrics(a)).toContain("platform_mesh_links 1\n");
  },
);

executableTest("a node killed with runs in its link: other nodes answer them", async () => {
  const release = Promise.withResolvers<void>();
  await using mesh = await linkedNodes(["b", "c"], ({ body }) =>
    isEarly(body.messages) ? hello : { ...hello, after: release.promise },
  );
  const a = mesh.get("a");
  const early = mesh.models.requests.length;
  const sessions = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const answers = sessions.map((session) => a.run("helper", "Now?", session));
  await untilTrue(() => mesh.models.requests.length === early + sessions.length);
  mesh.get("b").kill("SIGKILL");
  release.resolve();
  for (const answer of await Promise.all(answers))
    expect(answer).toMatchObject({ status: 200, body: { response: "Hello from afar." } });
  await mesh.restart("b");
  await mesh.converged("a", "b", "c");
  await linked(mesh, 2);
});

executableTest("a paused node: other nodes answer, and the runs in its link never start", async () => {
  await using mesh = await linkedNodes(["b", "c"], [hello]);
  const [a, b] = [mesh.get("a"), mesh.get("b")];
  const received = async () => /platform_mesh_runs_received_total\{[^}]*\} (\d+)/.exec(await metrics(b))?.[1];
  const before = await received();
  const early = mesh.models.requests.length;
  const sessions = Array.from({ length: 20 }, (_, index) => `s${index}`);
  b.kill("SIGSTOP");
  const answers = await Promise.all(sessions.map((session) => a.run("helper", "Now?", session)));
  expect(answers.map(({ status }) => status)).toEqual(sessions.map(() => 200));
  b.kill("SIGCONT");
  await mesh.converged("a", "b", "c");
  expect(mesh.models.requests).toHaveLength(early + sessions.length);
  expect(await received()).toBe(before);
  await linked(mesh, 2);
});

executableTest("a caller that leaves cancels its run on the other node", async () => {
  await using mesh = await linkedNodes(["b"], ({ body }) =>
    isEarly(body.messages) ? hello : { ...hello, after: new Promise(() => {}) },
  );
  const early = mesh.models.requests.length;
  const left = new AbortController();
  const options = { body: { query: "Now?" }, signal: left.signal };
  const call = mesh.get("a").call("POST", "/v1/agents/helper/run", options);
  await untilTrue(() => mesh.models.requests.length === early + 1);
  left.abort();
  expect(call).rejects.toThrow();
  await mesh.models.requests.at(-1)?.cut;
  expect((await metrics(mesh.get("a"))).includes("platform_mesh_links 1\n")).toBe(true);
});

executableTest("a node that stops answers the runs in its link first", async () => {
  const release = Promise.withResolvers<void>();
  await using mesh = await linkedNodes(["b"], ({ body }) =>
    isEarly(body.messages) ? hello : { ...hello, after: release.promise },
  );
  const early = mesh.models.requests.length;
  const b = mesh.get("b");
  const answer = mesh.get("a").run("helper", "Now?");
  await untilTrue(() => mesh.models.requests.length === early + 1);
  b.kill("SIGTERM");
  await b.logged("argosy.stopping");
  release.resolve();
  expect(await answer).toMatchObject({ status: 200, body: { response: "Hello from afar." } });
  expect(await b.exited).toBe(0);
});
