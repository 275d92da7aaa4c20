import { type ManifestKind, parseDocument, parseFile } from "../schema/manifest-kind.ts";
import type { ManifestRegistries } from "../schema/registries.ts";
import type { Variables } from "../yaml/variables.ts";
import { type AgentManifest, agentSchema } from "./agent.ts";
import { agentRules } from "./agent-rules.ts";

/** Returns `kind: Agent` as an executable with these registries can run it. Build it once for many agents. */
export function agentKind(registries: ManifestRegistries): ManifestKind<AgentManifest> {
  return { id: "agent", schema: agentSchema(registries), rules: agentRules };
}

/**
 * Parses an agent from a client, already decoded. Throws AppError `invalid_manifest` (422) with every problem; routes with another error
 * format use `checkDocument`.
 */
export function parseAgent(input: unknown, options: { registries: ManifestRegistries }): AgentManifest {
  return parseDocument(agentKind(options.registries), input);
}

/**
 * Parses an agent from an operator's file, with `${VARIABLES}` substituted. Throws AppError `invalid_manifest` (422) whose message names
 * file, line and column of the first problem.
 */
export function parseAgentFile(
  text: string,
  options: { file: string; variables: Variables; registries: ManifestRegistries },
): AgentManifest {
  return parseFile(agentKind(options.registries), text, options.file, options.variables);
}
