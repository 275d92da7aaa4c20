import type { PlatformRunResult } from "../../../contracts/platform/runs/runs.ts";
import type { RunPlan } from "../inbound/schema.ts";
import type { RunAnswer } from "./agent-runs.ts";

/*
 * What follows from the platform's answer to one call.
 *
 * answered               → the answer is sent.
 * running, broken        → asked again under the same key: the platform answers with the same run.
 * awaiting               → asked again, beside the conversation's further messages, because a person may take a day.
 * unreachable, 503       → called again for two minutes, because nothing was recorded.
 * interrupted            → a failure at once: the run's process died, and the platform answers so for its key from then on.
 * 429                    → called again after the wait that the platform asks for: three calls in all, within two minutes. A longer wait is
 *                          a failure at once.
 * 404 of an agent that an answer handed the conversation to → the entry agent takes over.
 * everything else        → a failure at once: the fallback message is sent.
 */

export type RunVerdict =
  | { type: "answer"; result: PlatformRunResult }
  | { type: "later"; waitMs: number; plan: RunPlan; isAside?: boolean }
  | { type: "replace"; plan: RunPlan }
  | { type: "failed"; code: string };

export const patienceMs = 120_000;
/** A run that the platform still calls running after this time is lost. */
const runningMaxMs = 60 * 60_000;
const awaitingMaxMs = 25 * 60 * 60_000;
const callsMax429 = 3;
const backOffMs = [1_000, 2_000, 5_000, 10_000, 15_000];
const askAgainMs = 2_000;
const askForDecisionMs = 10_000;

export function judgeRun(plan: RunPlan, answer: RunAnswer, entryAgent: string, now: Date): RunVerdict {
  const passedMs = now.getTime() - Date.parse(plan.firstCallAt);
  const again = (waitMs: number, limited = plan.limited): RunVerdict => ({
    type: "later",
    waitMs,
    plan: { ...plan, calls: plan.calls + 1, limited },
  });
  switch (answer.kind) {
    case "answered":
      return { type: "answer", result: answer.result };
    case "running":
      if (passedMs > runningMaxMs) return { type: "failed", code: "run_lost" };
      return { type: "later", waitMs: answer.retryAfterMs, plan };
    case "awaiting":
      if (passedMs > awaitingMaxMs) return { type: "failed", code: "approval_expired" };
      return { type: "later", waitMs: askForDecisionMs, plan, isAside: true };
    case "broken":
      return passedMs > patienceMs ? { type: "failed", code: "platform_broken" } : again(askAgainMs);
    case "unreachable":
      return callAgain("platform_unreachable", undefined);
    case "refused":
      if (answer.code === "interrupted") return { type: "failed", code: answer.code };
      if (answer.status === 503) return callAgain(answer.code, answer.retryAfterMs);
      if (answer.status === 429) {
        const limited = plan.limited + 1;
        const waitMs = answer.retryAfterMs ?? askAgainMs;
        const isOver = limited >= callsMax429 || passedMs + waitMs > patienceMs;
        return isOver ? { type: "failed", code: answer.code } : again(waitMs, limited);
      }
      if (answer.status === 404 && plan.agent !== entryAgent) {
        return { type: "replace", plan: { ...plan, agent: entryAgent } };
      }
      return { type: "failed", code: answer.code };
  }

  function callAgain(code: string, askedMs: number | undefined): RunVerdict {
    const leftMs = patienceMs - passedMs;
    if (leftMs <= 0) return { type: "failed", code };
    const usualMs = backOffMs[Math.min(plan.calls, backOffMs.length - 1)] ?? 0;
    return again(Math.min(askedMs ?? usualMs, leftMs));
  }
}
