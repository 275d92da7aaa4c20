import { join } from "node:path";
import { type AgentParts, buildAgent } from "../../../engine/agents/build-agent.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { TemplateEngine } from "../../../engine/templates/template.ts";
import { createUntrustedEngine } from "../../../engine/templates/untrusted/untrusted-engine.ts";
import type { McpServers } from "../../../engine/tools/mcp/mcp-servers.ts";
import { learnSecretsIn } from "../../../kit/secrets/learn-secret.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { isTrusted, type Sender } from "../../../manifest/senders/sender.ts";
import type { DaemonMetrics } from "../../../services/daemon/metrics/daemon-metrics.ts";
import type { OwnToolFiles } from "../../../services/daemon/tools/own-tool-files.ts";
import { withOwnSecrets } from "../../../services/daemon/untrusted/untrusted-secrets.ts";
import { childCommand } from "../../child-command.ts";
import type { Foundation } from "../../foundation.ts";
import { type Connections, openConnections } from "../../settings/connections.ts";
import { createAgentParts, type OperatorParts } from "../agent-parts.ts";
import { openLogins, openToolPins } from "../mcp-files.ts";
import { openOwnTools } from "../own-tools.ts";
import type { DaemonKnowledge } from "./knowledge.ts";
import type { DaemonModels } from "./models.ts";

/** Parts for building agents, by their sender. */
export interface AgentBuilding {
  /** Parts of the operator's agents. */
  parts: OperatorParts;
  strangersParts: AgentParts & { tools: { mcp: McpServers } };
  /** Renders templates from any sender. */
  sentTemplates: TemplateEngine;
  ownTools: OwnToolFiles;
  connections: Connections;
  /** Builds an agent with the parts that its sender may use. */
  build(manifest: AgentManifest, sender: Sender, guardrails: Parameters<typeof buildAgent>[2]): RunnableAgent;
  /** Returns the parts for running an agent with changes from a request, whose prompt is a template from its sender. */
  overriding(sender: Sender): AgentParts;
  close(): Promise<void>;
}

type Parts = Pick<
  Foundation,
  "config" | "folder" | "sealer" | "clock" | "newId" | "log" | "inference" | "faults" | "startsPrograms"
>;

/** Fourth stage: tools, connections and all other parts of agents. */
export async function openAgentBuilding(
  { config, inference, faults, folder, sealer, clock, newId, log, startsPrograms }: Parts,
  {
    models,
    knowledge,
    metrics,
  }: { models: DaemonModels; knowledge: DaemonKnowledge; metrics: DaemonMetrics },
): Promise<AgentBuilding> {
  const { memory, recall, rag, sent } = knowledge;
  const ownTools = await openOwnTools({ config, clock, newId, log, startsPrograms });
  const connections = openConnections(config, log);
  const parts = createAgentParts(config, {
    clock,
    newId,
    log,
    onnx: models.onnx,
    inference: () => inference.fetch,
    faults,
    toolPins: openToolPins(join(folder.path, "mcp-tools.json"), log),
    logins: openLogins(join(folder.path, "mcp-logins.json"), sealer, log),
    sources: models.sources,
    conversationsOf: memory.conversationsOf,
    recall: recall.parts,
    knowledge: rag.knowledge,
    ownTools,
    connections,
    modelCalled: metrics.modelCalled,
    sealed: sealer !== undefined,
  });
  const sentTemplates = createUntrustedEngine({ clock, childCommand: childCommand("template-child") });
  const strangersParts = withSentTemplates(sent.partsOf(parts), sentTemplates);
  const overridingParts = withSentTemplates(parts, sentTemplates);
  return {
    parts,
    strangersParts,
    sentTemplates,
    ownTools,
    connections,
    build(manifest, sender, guardrails) {
      if (isTrusted(sender)) {
        learnSecretsIn(manifest.spec, config.knownSecrets);
        return buildAgent(manifest, { ...parts, sender }, guardrails);
      }
      sent.prepare(manifest);
      const ownParts = withOwnSecrets(strangersParts, manifest, config.knownSecrets);
      return buildAgent(manifest, ownParts, guardrails);
    },
    overriding: (sender) => (isTrusted(sender) ? overridingParts : strangersParts),
    async close() {
      parts.templates.close();
      sentTemplates.close();
      parts.tools.sql.close();
      ownTools.close();
      await parts.tools.mcp?.close();
    },
  };
}

/** Parts for sent agents and overrides: their templates are rendered in a process that is killed after its time limit. */
function withSentTemplates<Parts extends AgentParts>(parts: Parts, templates: TemplateEngine): Parts {
  return { ...parts, templates, tools: { ...parts.tools, templates } };
}
