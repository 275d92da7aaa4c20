import type { Problem } from "../../kit/app-error.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import { didYouMean } from "../../kit/text/did-you-mean.ts";
import { normalized } from "../../kit/text/normalize.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { skillDescriptionCharsMax, skillNameFault } from "./skill-name.ts";

/** A SKILL.md as agentskills.io describes it. */
export interface SkillFile {
  name: string;
  description: string;
  license?: string;
  compatibility?: string;
  metadata: Record<string, string>;
  /** Tools that its author expects. It grants nothing: approvals are the agent's. */
  allowedTools?: string;
  /** The text after the front matter. */
  instructions: string;
}

const keys = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
const compatibilityCharsMax = 500;
const textCharsMax = 4096;

/** Reads the text of a SKILL.md in a folder of this name. Returns every fault with its line. */
export function readSkillFile(text: string, folder: string): { skill: SkillFile } | { problems: Problem[] } {
  const [, frontMatter, body] =
    /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n([\s\S]*))?$/m.exec(text) ?? [];
  if (frontMatter === undefined || !/^\uFEFF?---/.test(text))
    return {
      problems: [{ path: "", message: "must begin with front matter between two lines `---`", line: 1 }],
    };
  const read = readYaml(frontMatter);
  if ("problem" in read)
    return { problems: [{ ...read.problem, ...(read.problem.line && { line: read.problem.line + 1 }) }] };
  const { value, locate } = read;
  const problems: Problem[] = [];
  const report = (path: string[], message: string) => {
    const { line, column } = locate(path, "value");
    problems.push({
      path: path.join("."),
      message,
      line: line + 1,
      column,
    });
  };
  const textOf = (key: string, charsMax: number): string | undefined => {
    const given = value[key];
    if (given === undefined) return undefined;
    if (typeof given !== "string") report([key], "must be a text");
    else if ([...given].length > charsMax) report([key], `has more than ${charsMax} characters`);
    else return given;
    return undefined;
  };
  for (const key of Object.keys(value)) {
    if (keys.includes(key)) continue;
    const near = didYouMean(key, keys);
    report(
      [key],
      near === undefined ? `is unknown; there are ${keys.join(", ")}` : `is unknown; did you mean ${near}?`,
    );
  }
  const name = requiredText("name");
  const description = requiredText("description");
  const fault = name === undefined ? undefined : skillNameFault(name);
  if (fault !== undefined) report(["name"], fault);
  else if (name !== undefined && normalized(name, "NFKC") !== normalized(folder, "NFKC"))
    report(["name"], `must be the name of its folder: ${folder}`);
  const skill: SkillFile = {
    name: normalized(name ?? "", "NFKC"),
    description: description ?? "",
    metadata: metadataOf(),
    instructions: (body ?? "").trim(),
  };
  const [license, compatibility, allowedTools] = [
    textOf("license", textCharsMax),
    textOf("compatibility", compatibilityCharsMax),
    textOf("allowed-tools", textCharsMax),
  ];
  if (license !== undefined) skill.license = license;
  if (compatibility !== undefined) skill.compatibility = compatibility;
  if (allowedTools !== undefined) skill.allowedTools = allowedTools;
  return problems.length > 0 ? { problems } : { skill };

  function requiredText(key: "name" | "description"): string | undefined {
    if (value[key] === undefined) report([key], "is required");
    const given = textOf(key, key === "name" ? textCharsMax : skillDescriptionCharsMax);
    if (given?.trim() !== "") return given;
    report([key], "must not be empty");
    return undefined;
  }

  function metadataOf(): Record<string, string> {
    const given = value.metadata ?? {};
    if (!isRecord(given)) report(["metadata"], "must be a mapping of texts");
    else {
      for (const [key, one] of Object.entries(given))
        if (typeof one !== "string") report(["metadata", key], "must be a text; put it in quotes");
      return given as Record<string, string>;
    }
    return {};
  }
}
