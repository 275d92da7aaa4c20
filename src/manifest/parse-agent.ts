import { type AgentManifest, agentSchema } from "./agent.ts";
import { agentRules } from "./agent-rules.ts";
import { type ManifestKind, parseDocument, parseFile } from "./manifest-kind.ts";
import type { ManifestRegistries } from "./registries.ts";
import type { Variables } from "./variables.ts";

/** `kind: Agent` as an executable with these registries can run it; to be built once for many agents. */
export function agentKind(registries: ManifestRegistries): ManifestKind<AgentManifest> {
  return { id: "agent", schema: agentSchema(registries), rules: agentRules };
}

/**
 * An agent that somebody sent, already parsed, ready to run. Throws AppError `invalid_manifest` (422) with every problem;
 * surfaces that answer otherwise use `checkDocument`.
 */
export function parseAgent(input: unknown, options: { registries: ManifestRegistries }): AgentManifest {
  return parseDocument(agentKind(options.registries), input);
}

/**
 * An agent of an operator's file, its `${VARIABLES}` put in. Throws AppError `invalid_manifest` (422) whose message names
 * file, line and column of the first problem.
 */
export function parseAgentFile(
  text: string,
  options: { file: string; variables: Variables; registries: ManifestRegistries },
): AgentManifest {
  return parseFile(agentKind(options.registries), text, options.file, options.variables);
}
