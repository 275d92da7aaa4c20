import { AppError, type Problem, toAppError } from "../../kit/app-error.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

/**
 * Reports an error (with `--json` as the document on stdout, otherwise on stderr) and returns the exit code. `debug`: adds the stack of an
 * internal error.
 */
export function reportError(screen: Screen, thrown: unknown, debug = false): ExitCode {
  const error = toAppError(thrown);
  if (screen.json) screen.document(errorDocument(error));
  else sayError(screen, error);
  if (debug && error.code === "internal")
    for (const frame of framesOf(error.cause)) screen.say(paint("dim", frame));
  return exitCodeOf(error);
}

/** Returns the stack without the message, which may contain a query with its parameters. */
function framesOf(cause: unknown): string[] {
  if (!(cause instanceof Error)) return [];
  return [cause.name, ...(cause.stack ?? "").split("\n").filter((line) => line.startsWith("    at "))];
}

/** Returns an error as `--json` prints it. */
export function errorDocument(error: AppError): Record<string, unknown> {
  const { hint, problems, upstreamMessage } = error.details;
  return {
    error: error.code,
    message: error.message,
    ...(hint === undefined ? {} : { hint }),
    ...(problems === undefined ? {} : { problems }),
    ...(upstreamMessage === undefined ? {} : { details: { provider_message: upstreamMessage } }),
  };
}

/** Prints the error, its hint and its problems to stderr. */
export function sayError(screen: Screen, error: AppError): void {
  screen.say(paint("red", "error:"), " ", error.message);
  if (error.details.upstreamMessage !== undefined)
    screen.say("The provider says: ", error.details.upstreamMessage);
  if (error.details.hint !== undefined) screen.say(error.details.hint);
  const problems = error.details.problems ?? [];
  // A single problem is already the message.
  if (problems.length > 1) for (const problem of problems) screen.say("  ", problemLine(problem));
  if (error.code === "internal") screen.say("Run it again with --log-level debug to see the cause.");
}

/** Formats a problem as `file:line:column: path message`, which editors and CI annotations understand. */
export function problemLine(problem: Problem, file = problem.file): string {
  const place = [file, problem.line, problem.column].filter((part) => part !== undefined).join(":");
  const fault = problem.path === "" ? problem.message : `${problem.path} ${problem.message}`;
  return place === "" ? fault : `${place}: ${fault}`;
}

/** Returns the error of a command that a person or a signal ended. */
export const interrupted = () => new AppError("unavailable", "interrupted", "The command was interrupted.");

/** Returns the error for a call that cannot be parsed; the hint tells the correct form. */
export function usageError(message: string, hint?: string): AppError {
  return new AppError("invalid", "usage", message, hint === undefined ? {} : { details: { hint } });
}

function exitCodeOf(error: AppError): ExitCode {
  if (error.code === "interrupted") return exitCodes.interrupted;
  const badInput =
    error.kind === "invalid" ||
    error.kind === "too_large" ||
    error.code === "invalid_manifest" ||
    error.code === "invalid_dataset";
  return badInput ? exitCodes.usage : exitCodes.failed;
}
