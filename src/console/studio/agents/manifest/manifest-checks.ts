import type { ProblemBody } from "../../../../contracts/error-body.ts";
import type { YamlReading } from "../../../../manifest/read-yaml.ts";
import { agentEditorTexts as texts } from "../../../texts/studio-agents.ts";

/** What a manifest's name may be on the page that edits it. */
export interface NameRule {
  /** Of the agent that is edited: its name is its address. */
  fixed?: string;
  /** Of agents that are there already. */
  taken?: readonly string[];
}

/** The name that a manifest gives its agent, if any. */
export function nameIn(value: Record<string, unknown>): string | undefined {
  const name = (value.metadata as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : undefined;
}

/** What is wrong with a manifest as far as the page can tell by itself: that it is no YAML, or has the wrong name. */
export function problemsAtOnce(reading: YamlReading, { fixed, taken = [] }: NameRule): ProblemBody[] {
  if ("problem" in reading) return [reading.problem];
  const name = nameIn(reading.value);
  const at = (message: string): ProblemBody[] => [
    { path: "metadata.name", message, ...reading.locate(["metadata", "name"], "value") },
  ];
  if (fixed !== undefined && name !== fixed) return at(texts.nameFixed(fixed));
  return name !== undefined && taken.includes(name) ? at(texts.nameTaken(name)) : [];
}

/** `name`, or the first of `name-2`, `name-3` … that isn't taken; names have at most 63 characters. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let number = 2; ; number++) {
    const ending = `-${number}`;
    const candidate = `${name.slice(0, 63 - ending.length).replace(/-+$/, "")}${ending}`;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** The problems of the part at `path` of a manifest, and of what is inside it. */
export const problemsAt = (problems: readonly ProblemBody[], path: string): ProblemBody[] =>
  problems.filter(
    (problem) =>
      problem.path === path || problem.path.startsWith(`${path}.`) || problem.path.startsWith(`${path}[`),
  );
