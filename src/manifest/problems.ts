import { AppError, type Problem } from "../kit/app-error.ts";
import { dotted, type Fault } from "./fault.ts";
import type { Locate } from "./yaml/read-yaml.ts";

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
