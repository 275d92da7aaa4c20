import { AppError, toAppError } from "../../kit/app-error.ts";
import { waitingStatus } from "../run/finish-run.ts";
import type { PendingCall } from "../run-state/interceptor.ts";

/** The error that ends a run while it waits for a person's decision or for a result from its caller. */
export function runWaits({ agent, tool, awaits, question }: PendingCall): AppError {
  return awaits === "result"
    ? new AppError(
        "conflict",
        "tool_result_required",
        `The run waits for its caller to carry out a call of ${tool} by agent ${agent}.`,
      )
    : new AppError(
        "conflict",
        "approval_required",
        question === undefined
          ? `The run waits for a person to approve a call of ${tool} by agent ${agent}.`
          : `The run waits for a person to answer the server of ${tool}, which agent ${agent} called.`,
      );
}

export function isRunWaiting(thrown: unknown): boolean {
  return waitingStatus(toAppError(thrown)) !== undefined;
}

/** The error of a resumed run without one of its tools, for example while the tool's MCP server is starting. */
export function toolMissing(tool: string): AppError {
  return new AppError(
    "unavailable",
    "tool_unavailable",
    `The run can't resume without the tool ${tool}, which is not available now; nothing was carried out.`,
    { details: { hint: "The call waits again. Try again when the tool's server has started." } },
  );
}

export function wentAnotherWay(): AppError {
  return new AppError(
    "conflict",
    "run_diverged",
    "The run did not come back to the call that was decided on; nothing was asked or carried out again.",
    { details: { hint: "What the run depends on has changed since it paused; ask the agent again." } },
  );
}
