import type {
  RunApprovalFrame,
  RunDoneFrame,
  RunErrorFrame,
} from "../../../../contracts/platform/runs/run-frames.ts";
import { toAppError } from "../../../../kit/app-error.ts";
import type { RunOutcome } from "../settlement/run-outcome.ts";

/** Last frame of a stream. */
export type TerminalFrame = RunDoneFrame | RunErrorFrame | RunApprovalFrame;

export function terminalFrame(invocationId: string, outcome: RunOutcome): TerminalFrame {
  switch (outcome.kind) {
    case "done":
      return { type: "done", ...outcome.result };
    case "awaiting":
      return { type: "approval_required", ...outcome.awaiting };
    case "failed":
      return errorFrame(invocationId, outcome.error, outcome.status);
  }
}

/** Creates the terminal frame for any thrown value. */
export function errorFrame(invocationId: string, thrown: unknown, status = "error"): RunErrorFrame {
  const { code, message } = toAppError(thrown);
  return {
    type: "error",
    invocation_id: invocationId,
    status: status as RunErrorFrame["status"],
    error_code: code,
    message,
  };
}
