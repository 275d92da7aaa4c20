import { AppError, type Problem, toAppError } from "../kit/app-error.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

/**
 * Tells what went wrong (with `--json` as the document on stdout, otherwise on stderr) and how the command ends by it.
 * `debug`: with the place of a fault that is ours.
 */
export function reportError(screen: Screen, thrown: unknown, debug = false): ExitCode {
  const error = toAppError(thrown);
  if (screen.json) screen.document(errorDocument(error));
  else sayError(screen, error);
  if (debug && error.code === "internal")
    for (const frame of framesOf(error.cause)) screen.say(paint("dim", frame));
  return exitCodeOf(error);
}

/** Where it was thrown. Not its message: that may hold a query with its parameters. */
function framesOf(cause: unknown): string[] {
  if (!(cause instanceof Error)) return [];
  return [cause.name, ...(cause.stack ?? "").split("\n").filter((line) => line.startsWith("    at "))];
}

/** An error as `--json` shows it. */
export function errorDocument(error: AppError): Record<string, unknown> {
  const { hint, problems } = error.details;
  return {
    error: error.code,
    message: error.message,
    ...(hint === undefined ? {} : { hint }),
    ...(problems === undefined ? {} : { problems }),
  };
}

/** The error, its hint and its problems, as talk. */
export function sayError(screen: Screen, error: AppError): void {
  screen.say(paint("red", "error:"), " ", error.message);
  if (error.details.hint !== undefined) screen.say(error.details.hint);
  const problems = error.details.problems ?? [];
  // A single problem is the message already.
  if (problems.length > 1) for (const problem of problems) screen.say("  ", problemLine(problem));
  if (error.code === "internal") screen.say("Run it again with --log-level debug to see the cause.");
}

/** `file:line:column: path message`, as editors and CI annotations understand it. */
export function problemLine(problem: Problem, file?: string): string {
  const place = [file, problem.line, problem.column].filter((part) => part !== undefined).join(":");
  const fault = problem.path === "" ? problem.message : `${problem.path} ${problem.message}`;
  return place === "" ? fault : `${place}: ${fault}`;
}

/** A call that can't be understood; the hint says how it goes. */
export function usageError(message: string, hint?: string): AppError {
  return new AppError("invalid", "usage", message, hint === undefined ? {} : { details: { hint } });
}

function exitCodeOf(error: AppError): ExitCode {
  const badInput =
    error.kind === "invalid" || error.kind === "too_large" || error.code === "invalid_manifest";
  return badInput ? exitCodes.usage : exitCodes.failed;
}
