import { join } from "node:path";
import { type AgentParts, buildAgent } from "../../../engine/agents/build-agent.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { ProviderFetch } from "../../../engine/models/providers/provider-kind.ts";
import type { TemplateEngine } from "../../../engine/templates/template.ts";
import { createUntrustedEngine } from "../../../engine/templates/untrusted/untrusted-engine.ts";
import type { McpServers } from "../../../engine/tools/mcp/mcp-servers.ts";
import { learnSecretsIn } from "../../../kit/secrets/learn-secret.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { isTrusted, type Sender } from "../../../manifest/senders/sender.ts";
import { createOperatorParts, type OperatorParts } from "../../../services/daemon/agents/operator-parts.ts";
import type { SkillFiles } from "../../../services/daemon/skills/skill-files.ts";
import { openLogins, openToolPins } from "../../../services/daemon/tools/mcp-files.ts";
import type { OwnToolFiles } from "../../../services/daemon/tools/own-tool-files.ts";
import { withOwnSecrets } from "../../../services/daemon/untrusted/untrusted-secrets.ts";
import { childCommand } from "../../child-command.ts";
import type { Foundation } from "../../foundation.ts";
import { createProviderFetch } from "../../provider-fetch.ts";
import { type Connections, openConnections } from "../../settings/connections.ts";
import { toolSecrets } from "../../settings/secrets/tool-secrets.ts";
import type { WorkspaceParts } from "../own-tools.ts";
import type { Stage } from "../stage.ts";
import type { DaemonKnowledge } from "./knowledge.ts";
import type { DaemonModels } from "./models.ts";
import type { DaemonState } from "./state.ts";
import type { Telemetry } from "./telemetry.ts";

/** Parts for building agents, by their sender. */
export interface AgentBuilding extends Stage {
  /** Parts of the operator's agents. */
  parts: OperatorParts;
  untrustedParts: AgentParts & { tools: { mcp: McpServers } };
  /** Renders templates from any sender. */
  untrustedTemplates: TemplateEngine;
  ownTools: OwnToolFiles;
  skills: SkillFiles;
  connections: Connections;
  /** Builds an agent with the parts that its sender may use. */
  build(manifest: AgentManifest, sender: Sender, guardrails: Parameters<typeof buildAgent>[2]): RunnableAgent;
  /** Returns the parts for running an agent with changes from a request, whose prompt is a template from its sender. */
  overriding(sender: Sender): AgentParts;
}

type Parts = Pick<
  Foundation,
  "config" | "folder" | "sealer" | "clock" | "newId" | "log" | "faults" | "startsPrograms"
>;

export interface BuildingPorts {
  state: Pick<DaemonState, "windows">;
  models: DaemonModels;
  knowledge: DaemonKnowledge;
  telemetry: Pick<Telemetry, "metrics">;
  /** Calls the models of inference nodes; undefined if this daemon works alone. */
  inference: ProviderFetch | undefined;
  workspace: WorkspaceParts;
}

/** Tools, connections and all other parts of agents. */
export async function openAgentBuilding(
  { config, faults, folder, sealer, clock, newId, log, startsPrograms }: Parts,
  { state, models, knowledge, telemetry, inference, workspace }: BuildingPorts,
): Promise<AgentBuilding> {
  const { memory, recall, rag, untrusted } = knowledge;
  const { ownTools, skills } = workspace;
  const connections = openConnections(config, log);
  const parts = createOperatorParts(config, {
    clock,
    newId,
    log,
    onnx: models.onnx,
    inference,
    fetch: createProviderFetch(clock),
    helperCommand: childCommand,
    secret: toolSecrets(config),
    faults,
    toolPins: openToolPins(join(folder.path, "mcp-tools.json"), log),
    logins: openLogins(join(folder.path, "mcp-logins.json"), sealer, log),
    sources: models.sources,
    files: models.files,
    conversationsOf: memory.conversationsOf,
    recall: recall.parts,
    knowledge: rag.knowledge,
    ownTools,
    skills,
    connections,
    windows: state.windows,
    modelCalled: telemetry.metrics.modelCalled,
    sealed: sealer !== undefined,
  });
  const untrustedTemplates = createUntrustedEngine({ clock, childCommand: childCommand("template-child") });
  const untrustedParts = withUntrustedTemplates(untrusted.partsOf(parts), untrustedTemplates);
  const overridingParts = withUntrustedTemplates(parts, untrustedTemplates);
  return {
    parts,
    untrustedParts,
    untrustedTemplates,
    ownTools,
    skills,
    connections,
    build(manifest, sender, guardrails) {
      if (isTrusted(sender)) {
        learnSecretsIn(manifest.spec, config.knownSecrets);
        return buildAgent(manifest, { ...parts, sender }, guardrails);
      }
      untrusted.prepare(manifest);
      const ownParts = withOwnSecrets(untrustedParts, manifest, config.knownSecrets);
      return buildAgent(manifest, ownParts, guardrails);
    },
    overriding: (sender) => (isTrusted(sender) ? overridingParts : untrustedParts),
    workers: startsPrograms
      ? [
          ...(parts.tools.mcp ? [parts.tools.mcp.worker()] : []),
          { ...untrustedParts.tools.mcp.worker(), name: "sent-mcp-servers" },
        ]
      : [],
    async close() {
      parts.templates.close();
      untrustedTemplates.close();
      parts.tools.sql.close();
      ownTools.close();
      await parts.tools.mcp?.close();
    },
  };
}

/** Parts for agents of untrusted senders and for overrides: their templates are rendered in a process that is killed after its time limit. */
function withUntrustedTemplates<Parts extends AgentParts>(parts: Parts, templates: TemplateEngine): Parts {
  return { ...parts, templates, tools: { ...parts.tools, templates } };
}
