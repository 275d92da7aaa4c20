import { type Document, parseDocument } from "yaml";
import { AppError, type Problem } from "../../src/kit/app-error.ts";
import type { Path } from "../../src/manifest/fault.ts";
import type { ManifestRegistries } from "../../src/manifest/schema/registries.ts";
import { parseAgentFile } from "../support/parse-agent.ts";

const base = `apiVersion: platform/v1
kind: Agent
metadata:
  name: sample
spec:
  model:
    primary:
      provider: openai
      model: small
`;

/** Returns a valid agent with one place set to `value`, which may be any YAML. */
export function agentWith(path: Path, value: string): string {
  const document: Document = parseDocument(base);
  document.setIn([...path], "placeholder-here");
  return String(document).replace("placeholder-here", () => value);
}

/** Returns the problems of a file; empty if there are none. */
export function problemsIn(text: string, registries: ManifestRegistries = {}): Problem[] {
  try {
    parseAgentFile(text, { file: "a.agent.yaml", variables: () => undefined, registries });
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_manifest") throw error;
    return error.details.problems ?? [];
  }
}
