import { expect, test } from "bun:test";
import { NodeTls } from "../../../../src/mesh/tls/node-tls.ts";
import { agentFile, type DaemonOptions, startDaemon } from "../../../support/daemon.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { freePort } from "../../../support/free-port.ts";
import { meshSecret } from "../../../support/mesh-secret.ts";

const otherSecret = `${meshSecret}-of-another-mesh`;

/** Starts a node with a port for the others. TLS compares certificates with the machine's clock, so the node's is not far from it. */
async function node(
  nodeName: string,
  { secret = meshSecret, seeds = [] as string[], agents = {} as DaemonOptions["agents"] } = {},
) {
  const port = await freePort();
  const daemon = await startDaemon({
    startAt: new Date().toISOString(),
    agents: agents ?? {},
    configure: (config) => ({
      ...config,
      mesh: {
        ...{ nodeName, address: `127.0.0.1:${port}`, port, seeds, secret },
        ...{ tickMs: 1_000, gossipMs: 1_000, suspectMs: 5_000, deadMs: 15_000 },
      },
    }),
  });
  return Object.assign(daemon, { address: `127.0.0.1:${port}`, meshUrl: `https://127.0.0.1:${port}` });
}

test("nodes join, hear of each other and hand over runs by TLS with certificates of the mesh", async () => {
  await using one = await node("n1", { agents: { "helper.agent.yaml": agentFile("helper") } });
  await using two = await node("n2", { seeds: [one.address] });
  const isKnown = async () => (await two.asOwner("GET", "/v1/mesh/state")).body.nodes.length === 2;
  while (!(await isKnown())) await two.clock.advance(1_000);
  const { body } = await two.asOwner("GET", "/v1/mesh/state");
  const tls = new NodeTls(meshSecret, "any", new FakeClock());
  expect(body.encryption).toBe(tls.fingerprint);
  const run = await two.run("helper", { query: "hi" });
  expect([run.status, run.body.response]).toEqual([200, "Hello there."]);
});

test("a node of another mesh, a caller without a certificate and plain HTTP are refused", async () => {
  await using one = await node("n1");
  const outcome = await fetch(`${one.meshUrl}/healthz`, { tls: { rejectUnauthorized: false } }).catch(
    (thrown) => thrown,
  );
  expect(outcome).toBeInstanceOf(Error);
  const foreign = new NodeTls(otherSecret, "n2", new FakeClock(new Date().toISOString()));
  const call = fetch(`${one.meshUrl}/healthz`, {
    tls: { ...foreign.callOptions, rejectUnauthorized: false },
  });
  expect(await call.catch((thrown) => thrown)).toBeInstanceOf(Error);
  const plain = await one.call("POST", "/v1/mesh/join", { body: {}, headers: { "argosy-mesh": "any" } });
  expect([plain.status, plain.body.error]).toEqual([403, "mesh_tls_required"]);
});

test("the nodes' port has nothing but messages of nodes: 404", async () => {
  await using one = await node("n1");
  const own = new NodeTls(meshSecret, "n2", new FakeClock(new Date().toISOString()));
  const response = await fetch(`${one.meshUrl}/v1/agents`, { tls: own.callOptions });
  expect(response.status).toBe(404);
});

test("the error of a node of another mesh names its address and this mesh", async () => {
  await using one = await node("n1");
  await using two = await node("n2", { secret: otherSecret, seeds: [one.address] });
  await two.clock.advance(2_000);
  const doctor = async () => (await two.asOwner("GET", "/v1/system/doctor")).text;
  const isTold = () => two.logLines().some((line) => line.includes("mesh.join_failed"));
  while (!isTold()) await two.clock.advance(1_000);
  expect(await doctor()).toContain(`The node at ${one.address} has a certificate of another mesh`);
});
