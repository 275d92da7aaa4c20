import type { AgentManifest } from "../../../../manifest/agent/agent.ts";
import type { JsonObject } from "../section-table.ts";
import { sourceArchive } from "../source-archive.ts";
import { clientToolFiles, clientToolsModule } from "./client-tools.ts";
import { identifier, identifiers } from "./identifiers.ts";

/*
 * The native agent definition: an agent config of Google's Agent Development Kit, which Agent Engine runs without a container
 * (ReasoningEngineSpec.SourceCodeSpec.AgentConfigSource in the description of the Vertex AI API).
 */

/** The body of an engine, as far as sections write to it. */
export interface EngineConfig {
  display_name: string;
  description?: string;
  labels?: Record<string, string>;
  spec: {
    agent_framework: "google-adk";
    source_code_spec: {
      agent_config_source: {
        adk_config: { json_config: JsonObject };
        inline_source?: { source_archive: string };
      };
    };
    deployment_spec?: { env: { name: string; value: string }[] };
  };
  context_spec?: { memory_bank_config: JsonObject };
}

export const engineOf = (config: JsonObject) => config as unknown as EngineConfig;

/** Returns the definition inside an engine's config. */
export const definitionOf = (config: JsonObject): JsonObject =>
  engineOf(config).spec.source_code_spec.agent_config_source.adk_config.json_config;

/** Returns an engine of the manifest's name, whose agent has no model and no instruction yet. */
export function emptyEngine({ metadata: { name } }: AgentManifest): EngineConfig {
  const json_config = { agent_class: "LlmAgent", name: identifier(name) };
  return {
    display_name: name,
    spec: {
      agent_framework: "google-adk",
      source_code_spec: { agent_config_source: { adk_config: { json_config } } },
    },
  };
}

export function addTool(definition: JsonObject, tool: JsonObject): void {
  definition.tools = [...((definition.tools ?? []) as JsonObject[]), tool];
}

/** Sets some of the model's generation settings. */
export function setGeneration(definition: JsonObject, settings: JsonObject): void {
  const known = (definition.generate_content_config ?? {}) as JsonObject;
  definition.generate_content_config = { ...known, ...settings };
}

/** Completes an engine after all its sections: the agents of a pipeline, and the files that the definition needs. */
export function finishEngine(config: JsonObject, manifest: AgentManifest): void {
  const files: Record<string, string> = {};
  const clientTools = manifest.spec.tools.filter(({ type }) => type === "client");
  if (clientTools.length > 0) {
    const names = identifiers(clientTools.map(({ name }) => name));
    for (const name of names) addTool(definitionOf(config), { name: `${clientToolsModule}.${name}` });
    Object.assign(files, clientToolFiles(clientTools.map((tool, index) => [names[index] as string, tool])));
  }
  if (manifest.spec.orchestration.pattern === "pipeline") Object.assign(files, stageFiles(config, manifest));
  if (Object.keys(files).length === 0) return;
  const { agent_config_source } = engineOf(config).spec.source_code_spec;
  agent_config_source.inline_source = { source_archive: sourceArchive(files) };
}

const stagesByDefault = [
  { name: "analyze", prompt: "Analyze the request: what is asked, and what is needed to answer it." },
  { name: "process", prompt: "Work out the answer from the analysis." },
  { name: "synthesize", prompt: "Write the final answer for the user." },
];

/** Turns the definition into a sequence of agents with its model, settings and tools, and returns a file for each stage. */
function stageFiles(config: JsonObject, { spec }: AgentManifest): Record<string, string> {
  const { adk_config } = engineOf(config).spec.source_code_spec.agent_config_source;
  const { agent_class, name, description, instruction, ...shared } = adk_config.json_config;
  const stages = spec.orchestration.stages ?? stagesByDefault;
  const names = identifiers(
    stages.map((stage) => stage.name),
    [String(name)],
  );
  adk_config.json_config = {
    agent_class: "SequentialAgent",
    name,
    ...(description !== undefined && { description }),
    sub_agents: names.map((stage) => ({ config_path: `${stage}.yaml` })),
  };
  return Object.fromEntries(
    stages.map(({ prompt }, index) => {
      const stage = names[index] as string;
      const whole = [instruction, prompt].filter((text) => text !== undefined).join("\n\n");
      // JSON is YAML, which the kit reads.
      const agent = { agent_class, name: stage, ...shared, instruction: whole, output_key: stage };
      return [`${stage}.yaml`, `${JSON.stringify(agent, null, 2)}\n`];
    }),
  );
}
