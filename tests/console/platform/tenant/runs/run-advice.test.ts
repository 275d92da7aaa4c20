import { expect, test } from "bun:test";
import { adviceFor } from "../../../../../src/console/platform/tenant/runs/run-advice.ts";
import { runErrorTexts } from "../../../../../src/console/texts/platform/tenant-runs.ts";

test.each([
  "credit_budget_exhausted",
  "subscription_credit_budget_exhausted",
  "subscription_inactive",
  "agent_not_found",
  "concurrency_exceeded",
  "rate_limited",
  "cancel_limit",
  "guardrail_blocked",
  "runtime_failed",
  "runtime_unreachable",
  "run_unrecorded",
  "limits_unresolved",
  "run_timeout",
])("%s, a documented refusal, has advice of its own", (code) => {
  expect(adviceFor(code)).not.toBe(runErrorTexts.other);
});

test("a code without advice of its own has the general advice", () => {
  expect(adviceFor("unheard_of")).toBe(runErrorTexts.other);
  expect(adviceFor("constructor")).toBe(runErrorTexts.other);
});
