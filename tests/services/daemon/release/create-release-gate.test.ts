import { describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { endedRun, writeEval } from "../../../support/daemon-evals.ts";

const evalFile = JSON.stringify({
  apiVersion: "platform/v1",
  kind: "Eval",
  metadata: { name: "guard" },
  spec: { agent: "one", cases: [{ id: "a", query: "hi", checks: [{ contains: "Hello" }] }] },
});

/** Reads changed files: a check waits until all have been judged. */
const look = (daemon: TestDaemon) =>
  daemon.call("POST", "/v1/agents/validate", {
    body: agentFile("other"),
    headers: { "content-type": "application/json" },
  });

/** A daemon whose agent `one` waits for its eval. Its model answers the eval when `release` is called. */
async function startWaiting() {
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const requires = [{ eval: "guard", min_score: 1 }];
  const daemon = await startDaemon({
    agents: { "one.agent.yaml": agentFile("one"), "two.agent.yaml": agentFile("two") },
    ownersToken: true,
    models: {
      lab: () => {
        asked.resolve();
        return { text: "Hello there.", after: held.promise };
      },
    },
  });
  writeEval(daemon, "guard.eval.yaml", evalFile);
  writeEval(daemon, "other.eval.yaml", evalFile.replace('"guard"', '"other"').replace('"one"', '"two"'));
  daemon.writeAgent(
    "one.agent.yaml",
    agentFile("one", { prompts: { system: "New." }, release: { requires } }),
  );
  const waits = async () => {
    // Two looks: the first one may still find what changed before it.
    await look(daemon);
    await look(daemon);
    return (await daemon.call("GET", "/v1/agents/one")).body.candidate !== undefined;
  };
  expect(await waits()).toBe(true);
  const order = async (name: string, body: object) =>
    (await daemon.asOwner("POST", `/v1/evals/${name}/runs`, { body })).body.id;
  return { daemon, waits, order, asked: asked.promise, release: held.resolve };
}

describe("a version that waits serves as soon as its eval has passed", () => {
  test("also if a run of another eval began meanwhile", async () => {
    const { daemon, waits, order, asked, release } = await startWaiting();
    await using _ = daemon;
    const own = await order("guard", { candidate: true });
    await asked;
    const other = await order("other", {});
    expect(await waits()).toBe(true);
    release();
    expect(await endedRun(daemon, own)).toMatchObject({ status: "complete", failed: 0 });
    await endedRun(daemon, other);
    expect(await waits()).toBe(false);
    await daemon.run("one", { query: "hi" });
    expect(daemon.models.lab.requests.at(-1)?.body.messages[0]?.content).toBe("New.");
  });

  test("also if it was cancelled and resumed after a newer run, and not by a run of the version in service", async () => {
    const { daemon, waits, order, asked, release } = await startWaiting();
    await using _ = daemon;
    const own = await order("guard", { candidate: true });
    await asked;
    await daemon.asOwner("POST", `/v1/eval-runs/${own}/cancel`, { body: {} });
    release();
    await endedRun(daemon, await order("guard", {}));
    expect(await waits()).toBe(true);
    await daemon.asOwner("POST", `/v1/eval-runs/${own}/resume`, { body: {} });
    expect(await endedRun(daemon, own)).toMatchObject({ status: "complete", failed: 0 });
    expect(await waits()).toBe(false);
  });
});
