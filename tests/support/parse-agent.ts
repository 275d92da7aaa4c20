import type { AgentManifest } from "../../src/manifest/agent/agent.ts";
import { agentKind } from "../../src/manifest/agent/agent-kind.ts";
import { parseDocument, parseFile } from "../../src/manifest/schema/manifest-kind.ts";
import type { ManifestRegistries } from "../../src/manifest/schema/registries.ts";
import type { Variables } from "../../src/manifest/yaml/variables.ts";

/** Parses an agent as from a client, already decoded. */
export function parseAgent(input: unknown, options: { registries: ManifestRegistries }): AgentManifest {
  return parseDocument(agentKind(options.registries), input);
}

/** Parses an agent as from an operator's file. */
export function parseAgentFile(
  text: string,
  options: { file: string; variables: Variables; registries: ManifestRegistries },
): AgentManifest {
  return parseFile(agentKind(options.registries), text, options.file, options.variables);
}
