import type { ProblemBody } from "../../../contracts/error-body.ts";
import { firstFreeName } from "../../../contracts/free-name.ts";
import type { YamlReading } from "../../../manifest/yaml/read-yaml.ts";
import { builderTexts as texts } from "../../texts/builder.ts";

/** Rule for a manifest's name in the editor. */
export interface NameRule {
  /** Name of the edited agent, which cannot change because it is the agent's address. */
  fixed?: string;
  /** Names of existing agents. */
  taken?: readonly string[];
}

/** Returns the agent's name in a manifest, if any. */
export function nameIn(value: Record<string, unknown>): string | undefined {
  const name = (value.metadata as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : undefined;
}

/** Returns the problems that the page can find itself: the text is not YAML, or has the wrong name. */
export function problemsAtOnce(reading: YamlReading, { fixed, taken = [] }: NameRule): ProblemBody[] {
  if ("problem" in reading) return [reading.problem];
  const name = nameIn(reading.value);
  const at = (message: string): ProblemBody[] => [
    { path: "metadata.name", message, ...reading.locate(["metadata", "name"], "value") },
  ];
  if (fixed !== undefined && name !== fixed) return at(texts.nameFixed(fixed));
  return name !== undefined && taken.includes(name) ? at(texts.nameTaken(name)) : [];
}

/** Returns `name`, or the first of `name-2`, `name-3` … that is free; names have at most 63 characters. */
export function freeName(name: string, taken: readonly string[]): string {
  const spell = (number: number) => {
    if (number === 1) return name;
    const ending = `-${number}`;
    return `${name.slice(0, 63 - ending.length).replace(/-+$/, "")}${ending}`;
  };
  // A long name that ends like a spelling equals one of them, so there may be one spelling less.
  return firstFreeName(spell, (other) => taken.includes(other), taken.length + 1);
}

/** Returns the problems of the part at `path` of a manifest, including nested parts. */
export const problemsAt = (problems: readonly ProblemBody[], path: string): ProblemBody[] =>
  problems.filter(
    (problem) =>
      problem.path === path || problem.path.startsWith(`${path}.`) || problem.path.startsWith(`${path}[`),
  );
