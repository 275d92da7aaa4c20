import { expect, test } from "bun:test";
import type { RunEvent } from "../../../../src/engine/run-state/run-event.ts";
import { AppError, type ErrorKind } from "../../../../src/kit/app-error.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { performTask } from "../../../../src/services/daemon/a2a/perform-task.ts";
import type { KeptTask } from "../../../../src/services/daemon/a2a/task-store.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

/** Returns the state in which a task ends whose run fails with the error. */
async function stateAfter(kind: ErrorKind, code: string) {
  const clock = new FakeClock();
  const kept: KeptTask = {
    agent: "desk",
    cancel: new AbortController(),
    isAnswered: false,
    watchers: new Set(),
    pushes: new Map(),
    task: {
      kind: "task",
      id: "t",
      contextId: "c",
      status: { state: "submitted", timestamp: clock.now().toISOString() },
      history: [],
    },
  };
  // biome-ignore lint/correctness/useYield: the run fails before its first event.
  async function* failing(): AsyncGenerator<RunEvent, void> {
    throw new AppError(kind, code, "It did not work.");
  }
  for await (const _ of performTask({ clock, newId: () => "n" }, kept, failing(), silentLogger));
  expect(kept.task.metadata).toEqual({ error: code });
  return kept.task.status.state;
}

test.each<[ErrorKind, string]>([
  ["unavailable", "too_busy"],
  ["conflict", "agent_paused"],
  ["payment_required", "budget_exceeded"],
  ["rate_limited", "rate_limited"],
  ["unprocessable", "guardrail_blocked"],
  ["unprocessable", "content_refused"],
  ["unprocessable", "context_length_exceeded"],
  ["invalid", "invalid_request"],
])("a run that is refused with %s %s ends its task as rejected", async (kind, code) => {
  expect(await stateAfter(kind, code)).toBe("rejected");
});

test.each<[ErrorKind, string]>([
  ["unavailable", "no_provider_available"],
  ["unavailable", "storage_unavailable"],
  ["unavailable", "memory_unavailable"],
  ["unavailable", "node_unreachable"],
  ["unavailable", "agent_failed"],
  ["unavailable", "run_cancelled"],
  ["upstream_failed", "provider_failed"],
  ["unprocessable", "template_failed"],
  ["unprocessable", "max_iterations"],
  ["timed_out", "orchestration_timeout"],
  ["internal", "internal"],
])("a run that fails with %s %s ends its task as failed", async (kind, code) => {
  expect(await stateAfter(kind, code)).toBe("failed");
});
