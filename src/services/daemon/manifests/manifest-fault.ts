import { type Problem, toAppError } from "../../../kit/app-error.ts";
import { pathOf } from "../../../manifest/fault.ts";
import { readYaml } from "../../../manifest/yaml/read-yaml.ts";

/** Reason why a version of a manifest was refused. */
export interface ManifestFault {
  message: string;
  problems: Problem[];
}

/**
 * Adds to each problem its position in the text. Parses the text again, because a parsed document with positions is ten times the size of
 * the text.
 */
export function placeProblems(problems: readonly Problem[], text: string): Problem[] {
  const reading = readYaml(text);
  if ("problem" in reading) return [...problems];
  return problems.map((problem) => ({ ...problem, ...reading.locate(pathOf(problem.path), "value") }));
}

/** Converts any thrown value into a fault. */
export function faultOf(thrown: unknown): ManifestFault {
  const { message, details } = toAppError(thrown);
  return { message, problems: details.problems ?? [] };
}
