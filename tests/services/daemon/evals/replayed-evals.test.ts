import { expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { endedRun, writeEval } from "../../../support/daemon-evals.ts";
import { startModelServer } from "../../../support/model-server.ts";

const evalText = (agent: string) => `apiVersion: platform/v1
kind: Eval
metadata: {name: greetings}
spec:
  agent: ${agent}
  checks: [{contains: hello}]
  cases: [{id: a, query: A?}, {id: b, query: B?}]
`;

const start = (daemon: TestDaemon, mode: string) =>
  daemon.asOwner("POST", "/v1/evals/greetings/runs", { body: { mode } });

/** Records the eval of an agent and replays it; returns the run of the replay. */
async function recordedAndReplayed(daemon: TestDaemon, agent: string) {
  writeEval(daemon, "greetings.eval.yaml", evalText(agent));
  expect(await endedRun(daemon, (await start(daemon, "record")).body.id)).toMatchObject({
    status: "complete",
    failed: 0,
  });
  const begun = await start(daemon, "replay");
  expect(begun).toMatchObject({ status: 202 });
  return endedRun(daemon, begun.body.id);
}

const replayed = { status: "complete", finished: 2, failed: 0, spent_usd: 0 };

test("an agent of an entry of providers.yaml is replayed without its model", async () => {
  await using daemon = await startDaemon();
  expect(await recordedAndReplayed(daemon, "helper")).toMatchObject(replayed);
  expect(daemon.models.lab.requests.length).toBe(2);
});

test("an agent of a stored provider is replayed without its model", async () => {
  const vendor = await startModelServer(() => ({ text: "Hello there." }));
  await using _ = { [Symbol.asyncDispose]: () => vendor.stop() };
  const usesAcme = agentFile("caller", { model: { primary: { provider: "acme", model: "big" } } });
  await using daemon = await startDaemon({ agents: { "caller.agent.yaml": usesAcme } });
  const body = { type: "openai", endpoint: vendor.url, api_key: "sk-any" };
  expect((await daemon.asOwner("PUT", "/v1/system/providers/acme", { body })).status).toBe(200);
  expect(await recordedAndReplayed(daemon, "caller")).toMatchObject(replayed);
  expect(vendor.requests.length).toBe(2);
});

test("an agent whose orchestration is the default of runtime.yaml is replayed with it", async () => {
  await using daemon = await startDaemon({
    runtime: "spec: {defaults: {orchestration: {pattern: pipeline}}}\n",
  });
  expect(await recordedAndReplayed(daemon, "helper")).toMatchObject(replayed);
  // Three stages for each case.
  expect(daemon.models.lab.requests.length).toBe(6);
});

test("an agent whose manifest can't be read is refused before a run is stored", async () => {
  await using daemon = await startDaemon();
  expect(await recordedAndReplayed(daemon, "helper")).toMatchObject(replayed);
  const runs = async () => (await daemon.asOwner("GET", "/v1/eval-runs")).body.runs.length;
  const before = await runs();
  daemon.writeAgent("helper.agent.yaml", agentFile("helper", { colour: "red" }));
  await daemon.clock.advance(1000);
  expect((await start(daemon, "replay")).body.error).toBe("invalid_manifest");
  expect(await runs()).toBe(before);
});
