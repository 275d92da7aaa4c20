import { AppError, type Problem } from "../kit/app-error.ts";
import { dotted, type Fault } from "./fault.ts";
import type { Locate } from "./read-yaml.ts";

/** Faults as a caller sees them, with line and column when there is a text to point into. */
export function problemsOf(faults: readonly Fault[], locate?: Locate): Problem[] {
  return faults.map((fault) => ({
    path: dotted(fault.path),
    message: fault.message,
    ...locate?.(fault.path, fault.at),
  }));
}

/** The refusal of a document: its message names the first problem, its `problems` all of them. */
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
