import { expect, spyOn, test } from "bun:test";
import { countRuns, openStatementCount } from "../../../support/run-counts.ts";
import { runOf, startTenantRuntime } from "../../../support/tenant-runtime.ts";

/** What one run of a control plane in this process may cost at most, without memory and tools. One statement asks how long SQLite's log is. */
const runMax = { statements: 6, timers: 2, abortControllers: 3, joinedSignals: 0 };

test("a control plane's run joins no signals, and cancels nothing when its reader stops after the last frame", async () => {
  using statements = openStatementCount();
  await using runtime = await startTenantRuntime();
  const name = await runtime.register();
  const run = async () => {
    for await (const frame of runtime.client.run(name, runOf(name, { stream: false }))) {
      if (frame.type !== "ended") continue;
      expect(frame.outcome).toBe("ok");
      break;
    }
  };
  await run();
  using abort = spyOn(AbortController.prototype, "abort");
  const runs = 10;
  const counts = await countRuns(runs, { clock: runtime.clock, statements }, async () => {
    for (let turn = 0; turn < runs; turn++) await run();
  });
  for (const count of Object.keys(runMax) as (keyof typeof runMax)[])
    expect({ [count]: counts[count] <= runMax[count] }).toEqual({ [count]: true });
  expect(abort).toHaveBeenCalledTimes(0);
});

test("a reader that stops before the last frame cancels its run", async () => {
  await using runtime = await startTenantRuntime({ script: [{ text: "One two three." }] });
  const name = await runtime.register();
  using abort = spyOn(AbortController.prototype, "abort");
  for await (const frame of runtime.client.run(name, runOf(name))) {
    expect(frame.type).toBe("token");
    break;
  }
  expect(abort).toHaveBeenCalled();
});
