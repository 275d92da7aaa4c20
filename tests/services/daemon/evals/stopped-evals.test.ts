import { expect, test } from "bun:test";
import { askAgent } from "../../../../src/evals/files/ask-agent.ts";
import type { Attempt } from "../../../../src/evals/running/plan-attempts.ts";
import { AppError, type ErrorKind } from "../../../../src/kit/app-error.ts";
import { startDaemon } from "../../../support/daemon.ts";
import { endedRun, writeEval } from "../../../support/daemon-evals.ts";

const evalText = `apiVersion: platform/v1
kind: Eval
metadata: {name: greetings}
spec:
  agent: helper
  concurrency: 1
  checks: [{contains: hello}]
  cases: [{id: a, query: A?}, {id: b, query: B?}, {id: c, query: C?}, {id: d, query: D?}]
`;

test("an agent that is paused during an eval ends the run, and it resumes when the agent is deployed", async () => {
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using daemon = await startDaemon({
    models: {
      lab: (_, number) => {
        asked.resolve();
        return { text: "Hello there.", ...(number === 0 && { after: held.promise }) };
      },
    },
  });
  writeEval(daemon, "greetings.eval.yaml", evalText);
  const { body: begun } = await daemon.asOwner("POST", "/v1/evals/greetings/runs", { body: {} });
  await asked.promise;
  await daemon.asOwner("POST", "/v1/agents/helper/pause");
  held.resolve();
  expect(await endedRun(daemon, begun.id)).toMatchObject({
    status: "failed",
    finished: 1,
    failed: 0,
    pass_rate: 1,
    error: { error: "agent_paused" },
  });
  const resume = () => daemon.asOwner("POST", `/v1/eval-runs/${begun.id}/resume`, { body: {} });
  expect((await resume()).body.error).toBe("agent_paused");
  await daemon.asOwner("POST", "/v1/agents/helper/deploy");
  expect((await resume()).status).toBe(202);
  expect(await endedRun(daemon, begun.id)).toMatchObject({ status: "complete", finished: 4, failed: 0 });
  expect(daemon.models.lab.requests.length).toBe(4);
});

/** Asks an agent whose run ends with the error; `check`: kind of the only check of the case. */
function askFailing(error: AppError, check = "contains") {
  const never = () => Promise.reject(new Error("The test asks for nothing else."));
  const client = {
    run: () => Promise.reject(error),
    getTrace: never,
    clearHistory: never,
    getCassetteText: never,
    deleteCassette: never,
  };
  const one = {
    id: "a",
    turns: [{ query: "A?", context: {}, checks: [] }],
    stubs: [],
    checks: [{ kind: check }],
  };
  const attempt = { case: one, target: { name: "agent" }, repeat: 1 } as unknown as Attempt;
  const prices = { isFree: () => true, isKnown: () => true };
  const options = { client, agent: "helper", others: "refuse", prices, newId: () => "s" } as const;
  return askAgent(options, attempt, new AbortController().signal);
}

const fault = (kind: ErrorKind, code: string, facts: Record<string, unknown> = { trace_id: "t" }) =>
  new AppError(kind, code, "It did not work.", { details: { facts } });

test.each<[ErrorKind, string]>([
  ["conflict", "agent_paused"],
  ["unavailable", "agent_failed"],
  ["unavailable", "too_busy"],
  ["unavailable", "node_draining"],
  ["unavailable", "node_unreachable"],
  ["unavailable", "no_server"],
  ["unavailable", "storage_unavailable"],
  ["unauthorized", "unauthorized"],
  ["forbidden", "forbidden"],
  ["rate_limited", "rate_limited"],
])("a refusal before the run (%s %s) ends the eval, whatever the case checks", async (kind, code) => {
  const refused = fault(kind, code, {});
  await expect(askFailing(refused)).rejects.toBe(refused);
  await expect(askFailing(refused, "error")).rejects.toBe(refused);
});

test.each<[ErrorKind, string]>([
  ["unavailable", "run_cancelled"],
  ["unavailable", "storage_unavailable"],
  ["unavailable", "storage_closed"],
  ["unavailable", "memory_unavailable"],
  ["payment_required", "budget_exceeded"],
  ["conflict", "agent_paused"],
])(
  "a run that was stopped (%s %s) ends the eval, unless the case checks for an error",
  async (kind, code) => {
    const stopped = fault(kind, code);
    await expect(askFailing(stopped)).rejects.toBe(stopped);
    expect(await askFailing(stopped, "error")).toMatchObject([{ error: { code } }]);
  },
);

test.each<[ErrorKind, string, Record<string, unknown>]>([
  ["unprocessable", "guardrail_blocked", { trace_id: "t" }],
  ["upstream_failed", "provider_failed", { trace_id: "t" }],
  ["timed_out", "orchestration_timeout", { trace_id: "t" }],
  ["conflict", "approval_required", { status: "awaiting_approval" }],
])("a run that fails with %s %s fails its case", async (kind, code, facts) => {
  expect(await askFailing(fault(kind, code, facts))).toMatchObject([{ error: { code } }]);
});
