import { expect, test } from "bun:test";
import type { ChainRun } from "../../../src/engine/chain/chain.ts";
import { runLink } from "../../../src/engine/chain/run-link.ts";
import { TraceRecorder } from "../../../src/engine/telemetry/trace-recorder.ts";
import { AppError, type ErrorKind } from "../../../src/kit/app-error.ts";
import { FakeClock } from "../../support/fake-clock.ts";

test.each<[ErrorKind, string, attempts: number]>([
  ["upstream_failed", "provider_failed", 3],
  ["unavailable", "no_provider_available", 3],
  ["timed_out", "orchestration_timeout", 3],
  ["upstream_timed_out", "provider_timeout", 3],
  ["rate_limited", "too_many", 3],
  ["internal", "internal", 3],
  ["unprocessable", "guardrail_blocked", 1],
  ["unprocessable", "content_refused", 1],
  ["unprocessable", "context_length_exceeded", 1],
  ["payment_required", "budget_exceeded", 1],
  ["invalid", "invalid_request", 1],
  ["not_found", "agent_not_found", 1],
  ["conflict", "agent_paused", 1],
])("%s (%s) makes %p attempts of three", async (kind, code, attempts) => {
  const clock = new FakeClock();
  const error = new AppError(kind, code, "Broken.");
  let started = 0;
  const run = {
    request: { sessionId: "s", context: {} },
    clock,
    log: { error() {} },
    trace: new TraceRecorder(clock, "trace", "agent.run", {}),
    // biome-ignore lint/correctness/useYield: a run that fails before its first event.
    async *startSubRun() {
      started++;
      throw error;
    },
  } as unknown as ChainRun;
  const link = { agent: "staged", attemptsMax: 3, backoffMs: 0, timeoutMs: undefined };
  const where = { query: "q", via: "a", depth: 1, allowances: [] };
  const running = runLink(run, { ...link, ...where }, new AbortController().signal).catch((thrown) => thrown);
  await clock.advance(0);
  expect(await running).toBe(error);
  expect(started).toBe(attempts);
});
