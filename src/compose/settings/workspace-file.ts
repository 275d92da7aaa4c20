import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toAppError } from "../../kit/app-error.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import { checkFileReading, type ManifestKind, parseFile } from "../../manifest/schema/manifest-kind.ts";
import { readYaml } from "../../manifest/yaml/read-yaml.ts";
import { type Variables, withheldVariables } from "../../manifest/yaml/variables.ts";
import { withholdSections } from "./trust/withheld-sections.ts";

export interface FileReading {
  variables: Variables;
  /** The reason why the workspace gets no variables; undefined if it does. */
  refusal: string | undefined;
  /** Called with a sentence for each section that is left out for that reason. */
  onLeft: (message: string) => void;
}

/** Returns the text of a file in the workspace, or undefined if it doesn't exist. Throws AppError `invalid_manifest` if it can't be read. */
export function workspaceText(workspace: string, name: string): string | undefined {
  const path = join(workspace, name);
  if (!existsSync(path)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    throw invalidManifest([{ path: "", message: reasonOf(thrown) }], name);
  }
}

/** Returns a text that differs when the file has to be read again. A file that can't be read is known by the reason. */
export function fileState(workspace: string, name: string, refusal: string | undefined): string {
  try {
    const text = workspaceText(workspace, name);
    return text === undefined ? "" : JSON.stringify([text, refusal]);
  } catch (thrown) {
    return toAppError(thrown).message;
  }
}

/**
 * Reads the text of a configuration file of the workspace. Throws AppError `invalid_manifest` with its problems. While the workspace isn't
 * trusted, sections that would get variables are left out.
 */
export function parseWorkspaceFile<T>(
  kind: ManifestKind<T>,
  text: string,
  name: string,
  { variables, refusal, onLeft }: FileReading,
): T {
  const reading = readYaml(text);
  if (refusal === undefined || "problem" in reading) return parseFile(kind, text, name, variables);
  const { rest, left } = withholdSections(reading.value, (variable) => Boolean(variables(variable)));
  for (const path of left) onLeft(`${name} ${path} is not used: ${refusal}.`);
  const checked = checkFileReading(
    kind,
    { ...reading, value: rest },
    withheldVariables(variables, () => refusal),
  );
  if ("problems" in checked) throw invalidManifest(checked.problems, name);
  return checked.manifest;
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof TypeError) return "is not valid UTF-8";
  const { code } = thrown as { code?: string };
  if (code === "EISDIR") return "is a folder";
  if (code === "EACCES") return "can't be read: this user may not read it";
  return `can't be read (${code ?? "unknown reason"})`;
}
