import { AppError, toAppError } from "../../kit/app-error.ts";
import { waitingStatus } from "../run/finish-run.ts";
import type { PendingCall } from "../run-state/interceptor.ts";

/** The error that ends a run while it waits for a person's decision or for a result from its caller. */
export function runWaits({ agent, tool, awaits }: PendingCall): AppError {
  return awaits === "result"
    ? new AppError(
        "conflict",
        "tool_result_required",
        `The run waits for its caller to carry out a call of ${tool} by agent ${agent}.`,
      )
    : new AppError(
        "conflict",
        "approval_required",
        `The run waits for a person to approve a call of ${tool} by agent ${agent}.`,
      );
}

export function isRunWaiting(thrown: unknown): boolean {
  return waitingStatus(toAppError(thrown)) !== undefined;
}

export function wentAnotherWay(): AppError {
  return new AppError(
    "conflict",
    "run_diverged",
    "The run did not come back to the call that was decided on; nothing was asked or carried out again.",
    { details: { hint: "What the run depends on has changed since it paused; ask the agent again." } },
  );
}
