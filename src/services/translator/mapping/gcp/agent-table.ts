import type { AgentManifest } from "../../../../manifest/agent/agent.ts";
import { lostSection } from "../lost-section.ts";
import { bind } from "../reference.ts";
import { type JsonObject, type SectionRow, sectionTable } from "../section-table.ts";
import {
  addTool,
  definitionOf,
  emptyEngine,
  engineOf,
  finishEngine,
  setGeneration,
} from "./agent-definition.ts";
import { googleLabels } from "./google-labels.ts";
import { armorConfig, armorName, armorType, screenedSides } from "./model-armor.ts";

const engine = "vertex.agent_engine";

type Row = SectionRow<AgentManifest>;

const knowledgeTool: (config: JsonObject, manifest: AgentManifest) => void = (config, { spec }) => {
  if (spec.knowledge === undefined) return;
  const { pipeline, top_k } = spec.knowledge;
  const corpus = bind(config, {
    kind: "RAGPipeline",
    spec: pipeline,
    resource_type: "vertex.rag_corpus",
    name: `${pipeline}-corpus`,
  });
  addTool(definitionOf(config), {
    name: "VertexAiRagRetrieval",
    args: {
      name: "knowledge",
      description: `Finds passages in the documents of ${pipeline}. Search them before answering.`,
      rag_corpora: [corpus],
      similarity_top_k: top_k,
    },
  });
};

const identityRows: Row[] = [
  {
    section: "identity",
    keys: ["apiVersion", "kind", "metadata", "spec.identity"],
    coverage: "supported",
    into: {
      [engine](config, { spec: { identity } }) {
        const { display_name, description } = identity;
        if (display_name !== undefined) engineOf(config).display_name = display_name;
        if (description === undefined) return;
        engineOf(config).description = description;
        definitionOf(config).description = description;
      },
    },
  },
  {
    section: "metadata.labels",
    keys: ["metadata.labels"],
    coverage: "partial",
    detail: () =>
      "Google Cloud takes lower-case letters, digits, - and _ in labels, at most 63 characters; other labels are left out. Rename those that you need there.",
    into: {
      [engine](config, { metadata }) {
        const labels = googleLabels(metadata.labels);
        if (Object.keys(labels).length > 0) engineOf(config).labels = labels;
      },
    },
  },
  lostSection(
    "metadata.version",
    ["metadata.version"],
    "Agent Engine has no versions of an agent: each apply replaces the one that is there. Keep versions in git.",
  ),
  lostSection(
    "metadata.namespace",
    ["metadata.namespace"],
    "Agent Engine has no namespaces. Use a project for each, as an account in runtime.yaml.",
  ),
  ...["role", "personality"].map((key) =>
    lostSection(
      `identity.${key}`,
      [`spec.identity.${key}`],
      `Agent Engine has no ${key} of an agent. Write it into prompts.system.`,
    ),
  ),
  lostSection(
    "identity.avatar",
    ["spec.identity.avatar"],
    "Agent Engine has no picture of an agent. Show it in your client.",
  ),
];

const modelRows: Row[] = [
  {
    section: "model",
    keys: ["spec.model", "spec.model.primary"],
    coverage: "partial",
    detail: () =>
      "Only the first candidate's model name is taken, without its vendor prefix; Vertex AI must offer it there. Endpoint, key, time-out and context window don't apply.",
    into: {
      [engine](config, { spec }) {
        const model = spec.model?.primary.model;
        if (model !== undefined) definitionOf(config).model = model.slice(model.lastIndexOf("/") + 1);
      },
    },
  },
  {
    section: "model.parameters",
    keys: ["spec.model.primary.parameters"],
    coverage: "partial",
    detail: () =>
      "Sampling parameters keep their values under Google's names, but models bound and weigh them differently. Try them there.",
    into: {
      [engine](config, { spec }) {
        const { max_tokens, stop, ...sampling } = spec.model?.primary.parameters ?? {};
        setGeneration(definitionOf(config), {
          ...sampling,
          ...(max_tokens !== undefined && { max_output_tokens: max_tokens }),
          ...(stop !== undefined && { stop_sequences: stop }),
        });
      },
    },
  },
  lostSection(
    "model.fallback",
    ["spec.model.fallback", "spec.model.fallbacks"],
    "Agent Engine calls one model: there is no fallback. Choose the model that has to answer as the first candidate.",
  ),
  lostSection(
    "model.routing",
    ["spec.model.routing"],
    "Agent Engine calls one model: there is nothing to route. Leave it out.",
  ),
  lostSection(
    "model.roles",
    ["spec.model.roles"],
    "Agent Engine calls one model in all roles. Make an agent for each role that needs its own.",
  ),
];

const behaviourRows: Row[] = [
  {
    section: "prompts",
    keys: ["spec.prompts"],
    coverage: "partial",
    detail: () =>
      "The system prompt is sent as it is written: {{ … }} and {% … %} aren't evaluated, and prompts.context and prompts.templates are left out. Write the instruction without templates.",
    into: {
      [engine](config, { spec }) {
        if (spec.prompts.system !== undefined) definitionOf(config).instruction = spec.prompts.system;
      },
    },
  },
  {
    section: "orchestration",
    keys: ["spec.orchestration"],
    when: ({ spec }) => spec.orchestration.pattern === "pipeline",
    coverage: "emulated",
    detail: () =>
      "The pipeline becomes a sequence of agents, one for each stage, which share a conversation. Templates in stage prompts aren't evaluated.",
  },
  {
    section: "orchestration",
    keys: ["spec.orchestration"],
    coverage: "partial",
    detail: () =>
      "Agent Engine calls tools until the model answers, as react does; other patterns are lost. Write plans or delegation into the instruction.",
  },
  lostSection(
    "orchestration.limits",
    ["max_iterations", "timeout_seconds", "timeout", "max_tool_result_tokens", "max_run_tokens"].map(
      (key) => `spec.orchestration.${key}`,
    ),
    "Agent Engine has no such limits of a run. Set quotas of the project, and a deadline in your client.",
  ),
  lostSection(
    "output_schema",
    ["spec.output_schema"],
    "Answers aren't held to a schema. Ask for the form in prompts.system, and check it in your client.",
  ),
  lostSection(
    "chain",
    ["spec.chain"],
    "No agents run after the answer. Call them from your client or a workflow.",
  ),
  lostSection(
    "channels",
    ["spec.channels"],
    "No messages arrive from {names}. Keep the messaging gateway in front, and call the engine from it.",
  ),
  lostSection(
    "triggers",
    ["spec.triggers"],
    "Agent Engine fires nothing by itself. Call the engine from Cloud Scheduler, or from a service that takes the webhooks.",
  ),
  lostSection(
    "skills",
    ["spec.skills"],
    "Agent Engine reads no skills. Write their instructions into the system prompt.",
  ),
  lostSection(
    "a2a",
    ["spec.a2a"],
    "Agent Engine serves A2A only for agents that were built with its own template. Other agents can call the engine's API.",
  ),
  lostSection(
    "release",
    ["spec.release"],
    "Agent Engine runs no evals before an update serves. Run `argosy eval` before you update the engine.",
  ),
  lostSection(
    "permissions",
    ["spec.permissions", "spec.tools.[*].permissions"],
    "Allowed actions aren't checked. Give the engine a service account that may do no more.",
  ),
];

const toolRows: Row[] = [
  { section: "tools.client", keys: ["spec.tools.[client]"], coverage: "supported" },
  {
    section: "tools.builtin.web_search",
    keys: ["spec.tools.[builtin:web_search]"],
    coverage: "emulated",
    detail: () =>
      "Google Search answers in place of the configured search service, and the tool's options don't apply.",
    into: { [engine]: (config) => addTool(definitionOf(config), { name: "google_search" }) },
  },
  lostSection(
    "tools.builtin",
    ["spec.tools.[builtin*]"],
    "Agent Engine doesn't have {names}. Offer it as an MCP server's tool from an agent in code, or leave it out.",
  ),
  lostSection(
    "tools.internal",
    ["spec.tools.[internal*]"],
    "The code of {names} isn't deployed. Deploy the agent from source to take its tools along.",
  ),
  lostSection(
    "tools.webhook",
    ["spec.tools.[webhook]"],
    "Agent Engine doesn't call {names} from a definition. Declare it as a client tool, or deploy the agent from source.",
  ),
  lostSection(
    "tools.mcp",
    ["spec.tools.[mcp]"],
    "The MCP server {names} isn't connected. Deploy the agent from source with an MCP toolset.",
  ),
  lostSection(
    "tools.a2a",
    ["spec.tools.[a2a]"],
    "The agent behind {names} isn't asked. Deploy the agent from source with a remote agent.",
  ),
  lostSection(
    "tools.rag",
    ["spec.tools.[rag]"],
    "The collection behind {names} isn't there. Use knowledge with a RAG pipeline, which becomes a corpus.",
  ),
  lostSection(
    "tools.agent",
    ["spec.tools.[agent]"],
    "Agent Engine doesn't call the agents behind {names}. Translate them as engines of their own, and call them from your client.",
  ),
  lostSection(
    "tools.rate_limit",
    ["spec.tools.[*].rate_limit"],
    "Calls of {names} aren't limited. Limit them where they are executed.",
  ),
  lostSection(
    "tools.requires_approval",
    ["spec.tools.[*].requires_approval"],
    "Google Cloud asks for no approval before {names} is called. Declare it as a client tool, and ask in your client.",
  ),
  lostSection(
    "tools.mode",
    ["spec.tools.[*].mode"],
    "Calls of {names} are executed even in mode propose. Declare it as a client tool, and record its calls in your client.",
  ),
  lostSection(
    "tools.timeout_seconds",
    ["spec.tools.[*].timeout_seconds"],
    "Calls of {names} have no time-out of their own. Set one where they are executed.",
  ),
];

const memoryRows: Row[] = [
  {
    section: "knowledge",
    keys: ["spec.knowledge"],
    coverage: "emulated",
    detail: () =>
      "The model searches the corpus as a tool when it sees fit, in place of a search before each answer. The pipeline must be reconciled first.",
    into: { [engine]: knowledgeTool },
  },
  {
    section: "memory.conversational",
    keys: ["spec.memory.conversational"],
    coverage: "partial",
    detail: () =>
      "Agent Engine keeps sessions whole: strategy, window, token budget and time to live don't apply. Delete old sessions through its API.",
  },
  {
    section: "memory.semantic",
    keys: ["spec.memory.semantic"],
    coverage: "partial",
    detail: () =>
      "A memory bank keeps facts that a model extracts, in place of the text of turns. Embedder, threshold and number of results don't apply.",
    into: {
      [engine](config, { spec }) {
        if (spec.memory.semantic === undefined) return;
        engineOf(config).context_spec = { memory_bank_config: {} };
        addTool(definitionOf(config), { name: "preload_memory" });
      },
    },
  },
  {
    section: "memory.backend",
    keys: ["spec.memory.*.backend", "spec.memory.*.connection"],
    coverage: "partial",
    detail: () => "Memory is kept by Agent Engine itself, whatever the backend. Nothing is moved there.",
  },
  lostSection(
    "memory.episodic",
    ["spec.memory.episodic"],
    "Agent Engine has no episodes. Record them in your client, or ask the memory bank for what happened.",
  ),
];

const guardrailRows: Row[] = [
  {
    section: "guardrails.pii_detection",
    keys: ["spec.guardrails.*.[pii_detection]", "spec.guardrails.*.[pii_redaction]"],
    coverage: "partial",
    detail: () =>
      "Model Armor finds Google's basic types of sensitive data and blocks the text; entities can't be chosen, and nothing is redacted.",
    into: {
      [armorType]: armorConfig,
      [engine](config, manifest) {
        const { metadata } = manifest;
        const template = bind(config, {
          kind: "Agent",
          spec: metadata.name,
          resource_type: armorType,
          name: armorName(manifest),
        });
        const { input, output } = screenedSides(manifest);
        setGeneration(definitionOf(config), {
          model_armor_config: {
            ...(input && { prompt_template_name: template }),
            ...(output && { response_template_name: template }),
          },
        });
      },
    },
  },
  ...[
    ["content_filter", "Use Model Armor's filters for responsible AI in a template of your own."],
    ["topic_filter", "Name the forbidden topics in prompts.system."],
    ["max_length", "Limit the text in your client, and answers by max_tokens."],
    ["cost_limit", "Limit answers by max_tokens."],
    ["prompt_injection", "Switch on Model Armor's detection of prompt injection in a template of your own."],
  ].map(([type = "", mend = ""]) =>
    lostSection(
      `guardrails.${type}`,
      [`spec.guardrails.*.[${type}]`],
      `The guardrail ${type} has no counterpart that works alike. ${mend}`,
    ),
  ),
  lostSection(
    "guardrails",
    ["spec.guardrails"],
    "The guardrail {names} has no counterpart. Check texts in your client.",
  ),
];

const observabilityRows: Row[] = [
  {
    section: "observability.tracing",
    keys: ["spec.observability.tracing"],
    coverage: "supported",
    into: {
      [engine](config, { spec }) {
        const value = String(spec.observability.tracing);
        engineOf(config).spec.deployment_spec = {
          env: [{ name: "GOOGLE_CLOUD_AGENT_ENGINE_ENABLE_TELEMETRY", value }],
        };
      },
    },
  },
  lostSection(
    "observability.sample_rate",
    ["spec.observability.sample_rate"],
    "Agent Engine traces all runs or none. Filter them in Cloud Trace.",
  ),
  lostSection(
    "observability.record",
    ["spec.observability.record"],
    "What is recorded of the texts is set for the project. Set it there.",
  ),
];

/** `kind: Agent` on Google Cloud. */
export const agentTable = sectionTable<AgentManifest>({
  resources: [
    {
      resource_type: armorType,
      source_section: "guardrails",
      name: armorName,
      when: (manifest) => Object.values(screenedSides(manifest)).includes(true),
      config: () => ({}),
    },
    {
      resource_type: engine,
      source_section: "identity",
      name: ({ metadata }) => metadata.name,
      config: (manifest) => ({ ...emptyEngine(manifest) }),
      finish: finishEngine,
    },
  ],
  sections: [
    ...identityRows,
    ...modelRows,
    ...behaviourRows,
    ...toolRows,
    ...memoryRows,
    ...guardrailRows,
    ...observabilityRows,
  ],
});
