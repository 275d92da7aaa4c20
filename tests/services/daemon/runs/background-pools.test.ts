import { expect, test } from "bun:test";
import { agentFile, startDaemon } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";

test("runs of evals beyond their pool wait, while runs of callers find places; the metrics tell both", async () => {
  const hold = Promise.withResolvers<void>();
  await using daemon = await startDaemon({
    configure: (config) => ({
      ...config,
      runtime: { ...config.runtime, spec: { limits: { runs_in_flight: 8, eval_runs: 2 } } },
    }),
    agents: { "helper.agent.yaml": agentFile("helper") },
    models: {
      lab: ({ body }) => ({
        text: "Hello there.",
        ...(JSON.stringify(body.messages).includes("eval") && { after: hold.promise }),
      }),
    },
  });
  const evals = Array.from({ length: 5 }, (_, number) =>
    daemon.run("helper", { query: `eval ${number}`, source: "eval" }),
  );
  const metrics = async () => (await daemon.call("GET", "/metrics")).text;
  while (!(await metrics()).includes('platform_background_waiting{pool="evals"} 3')) await settle();
  const text = await metrics();
  expect(text).toContain('platform_background_in_work{pool="evals"} 2');
  for (const pool of ["triggers", "ingests"])
    expect(text).toContain(`platform_background_in_work{pool="${pool}"} 0`);
  expect(text).toContain("platform_runs_in_flight 2");
  const asked = await daemon.run("helper", { query: "hi" });
  expect([asked.status, asked.body.response]).toEqual([200, "Hello there."]);
  hold.resolve();
  expect((await Promise.all(evals)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(await metrics()).toContain('platform_background_waiting{pool="evals"} 0');
});

test("an eval's run that its caller leaves while it waits frees its turn", async () => {
  const hold = Promise.withResolvers<void>();
  await using daemon = await startDaemon({
    configure: (config) => ({
      ...config,
      runtime: { ...config.runtime, spec: { limits: { eval_runs: 1 } } },
    }),
    models: { lab: () => ({ text: "Hello there.", after: hold.promise }) },
  });
  const first = daemon.run("helper", { query: "one", source: "eval" });
  const metrics = async () => (await daemon.call("GET", "/metrics")).text;
  while (!(await metrics()).includes('platform_background_in_work{pool="evals"} 1')) await settle();
  const leaves = new AbortController();
  const second = daemon
    .run("helper", { query: "two", source: "eval" }, { signal: leaves.signal })
    .catch(() => "left");
  while (!(await metrics()).includes('platform_background_waiting{pool="evals"} 1')) await settle();
  leaves.abort();
  expect(await second).toBe("left");
  while (!(await metrics()).includes('platform_background_waiting{pool="evals"} 0')) await settle();
  hold.resolve();
  expect((await first).status).toBe(200);
});
