import { creditsText } from "../../contracts/amounts.ts";
import type { PlatformFrame, PlatformRunAnswer } from "../../contracts/platform/clients/run-client.ts";
import { AppError } from "../../kit/app-error.ts";
import type { CommandCall } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

/** Prints a whole answer. If the run waits for an approval, prints that and fails. */
export function printAnswer({ screen }: CommandCall, { body, creditPercent }: PlatformRunAnswer): ExitCode {
  if (screen.json) screen.document(body);
  else if (body.status === "ok") {
    screen.write(body.answer);
    screen.endLine();
  } else if (body.status === "in_progress") screen.say(`Running as ${body.invocation_id}.`);
  else sayAwaited({ screen }, body.approval_id);
  if (creditPercent !== undefined) screen.say(`${creditPercent} % of the month's credits are used.`);
  return body.status === "awaiting_approval" ? exitCodes.failed : exitCodes.ok;
}

/** Prints tokens as they arrive, and for a person a summary of the run. */
export async function printFrames(
  call: CommandCall,
  frames: AsyncIterable<PlatformFrame>,
): Promise<ExitCode> {
  const { screen } = call;
  for await (const frame of frames) {
    switch (frame.type) {
      case "token":
        screen.write(frame.content);
        break;
      case "done":
        screen.endLine();
        if (screen.hasReader) screen.say(paint("dim", factsOf(frame)));
        return exitCodes.ok;
      case "error":
        screen.endLine();
        throw new AppError("unprocessable", frame.error_code, frame.message);
      case "approval_required":
        screen.endLine();
        sayAwaited(call, frame.approval_id);
        // The run has no answer.
        return exitCodes.failed;
      default:
    }
  }
  throw new AppError("upstream_failed", "stream_broken", "The answer ended early.");
}

const factsOf = (frame: Extract<PlatformFrame, { type: "done" }>) =>
  [
    `${frame.usage.tokens_in + frame.usage.tokens_out} tokens`,
    `${creditsText(frame.credits_charged_micros)} credits`,
    `session ${frame.session_id}`,
  ].join(" · ");

function sayAwaited({ screen }: Pick<CommandCall, "screen">, approvalId: string): void {
  screen.say("A tool call waits for approval.");
  screen.say(`argosy platform approvals approve ${approvalId}`);
}
