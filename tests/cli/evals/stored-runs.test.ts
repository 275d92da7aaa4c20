import { expect, test } from "bun:test";
import { runEvalFile } from "../../../src/cli/evals/stored-runs.ts";
import type { DaemonClient } from "../../../src/contracts/daemon/client.ts";
import type { EvalRunBrief, EvalRunOrder } from "../../../src/contracts/daemon/evals/eval-runs.ts";
import { AppError } from "../../../src/kit/app-error.ts";

const briefOf = (more: Partial<EvalRunBrief> = {}) =>
  ({ id: "r1", eval: "greets", status: "running", finished: 0, planned: 2, ...more }) as EvalRunBrief;

/** A daemon whose run ends as `last`, once it is cancelled if `waits`. Collects its calls. */
function daemonOf(last: Partial<EvalRunBrief>, waits = false) {
  const cancelled = Promise.withResolvers<void>();
  const calls: unknown[] = [];
  const client = {
    startEvalFileRun: async (order: EvalRunOrder) => {
      calls.push(["start", order]);
      return briefOf();
    },
    getEvalRun: async () => briefOf({ status: "interrupted" }),
    resumeEvalRun: async (id: string, order: EvalRunOrder) => {
      calls.push(["resume", id, order]);
      if (last.status === "complete") throw new AppError("conflict", "eval_run_ended", "It is complete.");
      return briefOf();
    },
    async cancelEvalRun(id: string) {
      calls.push(["cancel", id]);
      cancelled.resolve();
    },
    async *followEvalRun() {
      yield { type: "progress", run: briefOf() };
      if (waits) await cancelled.promise;
      yield { type: "done", run: briefOf(last) };
    },
    getEvalReport: async () => JSON.stringify({ results: [] }),
  } as unknown as DaemonClient;
  return { client, calls };
}

const file = { path: "/w/evals/greets.eval.yaml", name: "greets" };
const watch = (signal: AbortSignal, seen: string[] = []) => ({
  signal,
  onProgress: ({ status }: EvalRunBrief) => void seen.push(status),
});

test("an eval is ordered with the options that were given, without the default budget, and followed to its end", async () => {
  const { client, calls } = daemonOf({ status: "complete" });
  const seen: string[] = [];
  await runEvalFile(client, file, { repeat: 2, agent: undefined }, watch(new AbortController().signal, seen));
  expect(calls).toEqual([["start", { repeat: 2, budget_usd: null, file: file.path }]]);
  expect(seen).toEqual(["running", "complete"]);
});

test("an interrupt cancels the run, and its results so far are returned", async () => {
  const { client, calls } = daemonOf({ status: "cancelled" }, true);
  const stop = new AbortController();
  const running = runEvalFile(client, file, {}, { signal: stop.signal, onProgress: () => stop.abort() });
  expect(await running).toMatchObject({ results: [] });
  expect(calls.at(-1)).toEqual(["cancel", "r1"]);
});

test("the error of a failed run is thrown with its code", async () => {
  const error = { error: "agent_paused", message: "The agent is paused." };
  const { client } = daemonOf({ status: "failed", error });
  const failed = runEvalFile(client, file, {}, watch(new AbortController().signal));
  await expect(failed).rejects.toMatchObject({ code: "agent_paused", message: error.message });
});

test("a resumed run gets no option that was not given, and a complete one is read again", async () => {
  const { client, calls } = daemonOf({ status: "complete" });
  const { signal } = new AbortController();
  expect(await runEvalFile(client, file, { resume: "r1" }, watch(signal))).toMatchObject({ results: [] });
  expect(calls).toEqual([["resume", "r1", {}]]);
  const other = runEvalFile(client, { ...file, name: "other" }, { resume: "r1" }, watch(signal));
  await expect(other).rejects.toThrow("The run r1 is of the eval greets, not of other.");
});
