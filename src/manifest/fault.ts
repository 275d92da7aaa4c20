import { AppError, type Problem } from "../kit/app-error.ts";

/** A key of a mapping or a position in a list. */
export type Segment = string | number;

export type Path = readonly Segment[];

/** A fault at a path of a document; `at` tells whether the key or the value is wrong. */
export interface Fault {
  path: Path;
  at: "key" | "value";
  message: string;
}

/** A place in a file; both numbers start at 1. */
export interface Position {
  line: number;
  column: number;
}

/** Returns the place of a fault; for a missing part, the place where it should be. */
export type Locate = (path: Path, at: Fault["at"]) => Position;

/** Limit for the collected faults: a document with fifty faults needs another look, not a longer list. */
export const faultsMax = 50;

/** Collects faults up to the limit. */
export function addFault(faults: Fault[], path: Path, message: string, at: Fault["at"] = "value"): void {
  if (faults.length < faultsMax) faults.push({ path, at, message });
}

/** Formats a path: `spec.tools[0].name`. */
export function dotted(path: Path): string {
  let written = "";
  for (const segment of path) {
    if (typeof segment === "number") written += `[${segment}]`;
    else written += written === "" ? segment : `.${segment}`;
  }
  return written;
}

/** Parses the result of `dotted`; a key that contains a dot becomes several segments. */
export function pathOf(written: string): Path {
  return written
    .split(/[.[\]]/)
    .filter((part) => part !== "")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Converts faults to problems. With `locate`, they have places and are in the text's order. */
export function problemsOf(faults: readonly Fault[], locate?: Locate): Problem[] {
  const problem = ({ path, message }: Fault): Problem => ({ path: dotted(path), message });
  if (locate === undefined) return faults.map(problem);
  return faults
    .map((fault) => ({ ...problem(fault), ...locate(fault.path, fault.at) }))
    .sort((one, other) => one.line - other.line || one.column - other.column);
}

/** Returns the error for a document: its message names the first problem, its `problems` all of them. */
export function invalidManifest(problems: readonly Problem[], file?: string): AppError {
  const first = problems[0];
  const place = [file, first?.line, first?.column].filter((part) => part !== undefined).join(":");
  const subject = first === undefined || first.path === "" ? "the document" : first.path;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new AppError(
    "unprocessable",
    "invalid_manifest",
    `${place === "" ? "" : `${place}: `}${subject} ${first?.message ?? "is not valid"}${more}`,
    { details: { problems: [...problems] } },
  );
}

/** Returns the error for a document in a request: 400, with the message and problems of `invalidManifest`. */
export function refusedManifest(problems: readonly Problem[]): AppError {
  const { message, details } = invalidManifest(problems);
  return new AppError("invalid", "invalid_manifest", message, { details });
}

/** Returns the built value. The problems of an AppError are added to the others, so that one load of a file shows all its problems. */
export function collectProblems<T>(problems: Problem[], build: () => T): T | undefined {
  try {
    return build();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.details.problems === undefined) throw thrown;
    problems.push(...thrown.details.problems);
    return undefined;
  }
}
