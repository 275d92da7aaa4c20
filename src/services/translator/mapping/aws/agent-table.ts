import type { AgentManifest } from "../../../../manifest/agent/agent.ts";
import { lostSection } from "../lost-section.ts";
import { ownerKeys } from "../owner-keys.ts";
import { bind } from "../reference.ts";
import { type JsonObject, type SectionRow, sectionTable } from "../section-table.ts";
import { bedrockName } from "./bedrock-names.ts";
import {
  emptyGuardrail,
  guardrailName,
  guardrailType,
  needsGuardrail,
  piiPolicy,
  promptAttackFilter,
  topicPolicy,
  wordPolicy,
} from "./guardrail.ts";
import { bedrockRole, roleType } from "./role.ts";

/*
 * Agents of Amazon Bedrock, by the bodies of CreateAgent, CreateAgentAlias, CreateGuardrail and IAM's CreateRole.
 */

const agent = "bedrock.agent";
const alias = "bedrock.agent_alias";

type Row = SectionRow<AgentManifest>;

const reference = (manifest: AgentManifest, resource_type: string, name: string) => ({
  kind: "Agent" as const,
  spec: manifest.metadata.name,
  resource_type,
  name,
});

const roleName = ({ metadata }: AgentManifest) => `${metadata.name}-role`;

/** The orchestration prompt's settings, which hold the sampling parameters. */
function inferenceOf(config: JsonObject): JsonObject {
  config.promptOverrideConfiguration ??= {
    promptConfigurations: [
      { promptType: "ORCHESTRATION", promptCreationMode: "DEFAULT", inferenceConfiguration: {} },
    ],
  };
  const { promptConfigurations } = config.promptOverrideConfiguration as {
    promptConfigurations: { inferenceConfiguration: JsonObject }[];
  };
  return promptConfigurations[0]?.inferenceConfiguration ?? {};
}

/** The labels that Amazon takes as tags. Those that mark resources as Argosy's are left out. */
const amazonTags = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels).filter(
      ([key, value]) =>
        !ownerKeys.has(key) &&
        !/^aws:/i.test(key) &&
        /^[a-zA-Z0-9\s._:/=+@-]{1,128}$/.test(key) &&
        /^[a-zA-Z0-9\s._:/=+@-]{0,256}$/.test(value),
    ),
  );

/* Bedrock prepares no agent without a model and an instruction, and takes no instruction of less than 40 characters. */
const modelByDefault = "amazon.nova-lite-v1:0";
const instructionByDefault = "Answer the user's requests helpfully and truthfully.";
const instructionCharsMin = 40;
const instructionCharsMax = 20_000;

const instructionOf = (text: string): string =>
  (text.length < instructionCharsMin
    ? `${text}\n\nFollow this instruction in all of your answers.`
    : text
  ).slice(0, instructionCharsMax);

const rows: Row[] = [
  {
    section: "identity",
    keys: ["apiVersion", "kind", "metadata.name", "spec.identity.description"],
    coverage: "supported",
    into: {
      [agent](config, { spec }) {
        if (spec.identity.description !== undefined)
          config.description = spec.identity.description.slice(0, 200);
      },
    },
  },
  {
    section: "metadata.labels",
    keys: ["metadata.labels"],
    coverage: "partial",
    detail: () =>
      "Amazon takes letters, digits, spaces and _.:/=+@- in tags; labels with others, and those that begin with aws: or mark resources as Argosy's, are left out. Rename those that you need there.",
    into: {
      [agent](config, { metadata }) {
        const tags = amazonTags(metadata.labels);
        if (Object.keys(tags).length > 0) config.tags = tags;
      },
    },
  },
  lostSection(
    "identity.display_name",
    ["spec.identity.display_name"],
    "Bedrock shows the manifest's name. Show another in your client.",
  ),
  lostSection(
    "metadata.version",
    ["metadata.version"],
    "Bedrock numbers versions itself, with each alias. Keep your own in git.",
  ),
  lostSection(
    "metadata.namespace",
    ["metadata.namespace"],
    "Bedrock has no namespaces. Use an account or a region for each.",
  ),
  ...["role", "personality"].map((key) =>
    lostSection(
      `identity.${key}`,
      [`spec.identity.${key}`],
      `Bedrock has no ${key} of an agent. Write it into prompts.system.`,
    ),
  ),
  lostSection(
    "identity.avatar",
    ["spec.identity.avatar"],
    "Bedrock has no picture of an agent. Show it in your client.",
  ),
  {
    section: "model",
    keys: ["spec.model", "spec.model.primary"],
    coverage: "partial",
    detail: () =>
      `Only the first candidate's model name is taken, as the id of a foundation model, which Bedrock must offer; without one, it is ${modelByDefault}. Endpoint, key, time-out and context window don't apply.`,
    into: {
      [agent](config, { spec }) {
        const model = spec.model?.primary.model;
        if (model !== undefined) config.foundationModel = model.slice(model.lastIndexOf("/") + 1);
      },
    },
  },
  {
    section: "model.parameters",
    keys: ["spec.model.primary.parameters"],
    coverage: "partial",
    detail: () => "Temperature, top_p, top_k, max_tokens and stop texts are taken; penalties are lost.",
    into: {
      [agent](config, { spec }) {
        const { temperature, top_p, top_k, max_tokens, stop } = spec.model?.primary.parameters ?? {};
        Object.assign(inferenceOf(config), {
          ...(temperature !== undefined && { temperature: Math.min(temperature, 1) }),
          ...(top_p !== undefined && { topP: top_p }),
          ...(top_k !== undefined && { topK: Math.min(top_k, 500) }),
          ...(max_tokens !== undefined && { maximumLength: Math.min(max_tokens, 4096) }),
          ...(stop !== undefined && { stopSequences: stop.slice(0, 4) }),
        });
      },
    },
  },
  lostSection(
    "model.fallback",
    ["spec.model.fallback", "spec.model.fallbacks"],
    "An agent of Bedrock calls one model: there is no fallback. Choose the model that has to answer as the first candidate.",
  ),
  lostSection(
    "model.routing",
    ["spec.model.routing"],
    "An agent of Bedrock calls one model. Name an inference profile as the model to spread calls over regions.",
  ),
  lostSection(
    "model.roles",
    ["spec.model.roles"],
    "An agent of Bedrock calls one model in all roles. Make an agent for each role that needs its own.",
  ),
  {
    section: "prompts",
    keys: ["spec.prompts"],
    coverage: "partial",
    detail: () =>
      "The system prompt is sent as it is written, at most 20,000 characters; one of less than 40 gets a sentence more. {{ … }} and {% … %} aren't evaluated, and prompts.context and prompts.templates are left out.",
    into: {
      [agent](config, { spec }) {
        if (spec.prompts.system !== undefined) config.instruction = instructionOf(spec.prompts.system);
      },
    },
  },
  {
    section: "orchestration",
    keys: ["spec.orchestration"],
    coverage: "partial",
    detail: () =>
      "Bedrock calls tools until the model answers, as react does; other patterns are lost. Write plans into the instruction, or associate collaborators by hand.",
  },
  lostSection(
    "orchestration.limits",
    ["max_iterations", "timeout_seconds", "timeout", "max_tool_result_tokens", "max_run_tokens"].map(
      (key) => `spec.orchestration.${key}`,
    ),
    "Bedrock has no such limits of a run. Set a deadline in your client.",
  ),
  lostSection(
    "output_schema",
    ["spec.output_schema"],
    "Answers aren't held to a schema. Ask for the form in prompts.system, and check it in your client.",
  ),
  lostSection(
    "chain",
    ["spec.chain"],
    "No agents run after the answer. Call them from your client or Step Functions.",
  ),
  lostSection(
    "channels",
    ["spec.channels"],
    "No messages arrive from {names}. Keep the messaging gateway in front, and call the agent from it.",
  ),
  lostSection(
    "triggers",
    ["spec.triggers"],
    "Bedrock Agents run nothing by themselves. Call the agent's alias from EventBridge Scheduler, or from a service that takes the webhooks.",
  ),
  lostSection(
    "skills",
    ["spec.skills"],
    "Bedrock Agents read no skills. Write their instructions into the system prompt.",
  ),
  lostSection(
    "a2a",
    ["spec.a2a"],
    "Bedrock Agents don't speak A2A. Other agents can call the agent's alias.",
  ),
  lostSection(
    "release",
    ["spec.release"],
    "Bedrock runs no evals before a new version serves. Run `argosy eval` before you move the alias.",
  ),
  lostSection(
    "permissions",
    ["spec.permissions", "spec.tools.[*].permissions"],
    "Allowed actions aren't checked. Give the agent's role no more rights than it needs.",
  ),
  ...["builtin*", "internal*", "webhook", "mcp", "rag", "agent", "client", "a2a"].map((type) =>
    lostSection(
      `tools.${type.replace("*", "")}`,
      [`spec.tools.[${type}]`],
      "Bedrock calls tools through action groups, which need a Lambda function or a caller that takes control: {names} is left out. Add an action group by hand.",
    ),
  ),
  {
    section: "knowledge",
    keys: ["spec.knowledge"],
    coverage: "partial",
    detail: () =>
      "The role may read the knowledge base, but Bedrock associates it with the agent by a separate call. Associate it by hand.",
    into: {
      [roleType](config, { spec }) {
        if (spec.knowledge === undefined) return;
        bind(config, {
          kind: "RAGPipeline",
          spec: spec.knowledge.pipeline,
          resource_type: "bedrock.knowledge_base",
          name: `${spec.knowledge.pipeline}-knowledge-base`,
        });
      },
    },
  },
  {
    section: "memory.conversational",
    keys: ["spec.memory.conversational"],
    coverage: "partial",
    detail: () =>
      "Bedrock keeps a session until it was idle for ttl_seconds, at most an hour; strategy, window and token budget don't apply.",
    into: {
      [agent](config, { spec }) {
        const ttl = spec.memory.conversational?.ttl_seconds;
        if (ttl !== undefined) config.idleSessionTTLInSeconds = Math.min(Math.max(ttl, 60), 3600);
      },
    },
  },
  {
    section: "memory.semantic",
    keys: ["spec.memory.semantic"],
    coverage: "partial",
    detail: () =>
      "Bedrock remembers summaries of sessions for 30 days, in place of texts that are found by meaning.",
    into: {
      [agent](config) {
        config.memoryConfiguration = { enabledMemoryTypes: ["SESSION_SUMMARY"], storageDays: 30 };
      },
    },
  },
  {
    section: "memory.backend",
    keys: ["spec.memory.*.backend", "spec.memory.*.connection"],
    coverage: "partial",
    detail: () => "Memory is kept by Bedrock itself, whatever the backend. Nothing is moved there.",
  },
  lostSection(
    "memory.episodic",
    ["spec.memory.episodic"],
    "Bedrock has no episodes. Record them in your client.",
  ),
  {
    section: "guardrails.pii_detection",
    keys: ["spec.guardrails.*.[pii_detection]", "spec.guardrails.*.[pii_redaction]"],
    coverage: "partial",
    detail: () =>
      "Bedrock finds the same kinds of data by its own rules; actions warn and log become masking.",
    into: { [guardrailType]: piiPolicy },
  },
  {
    section: "guardrails.topic_filter",
    keys: ["spec.guardrails.*.[topic_filter]"],
    coverage: "partial",
    detail: () => "Each topic is denied by a definition made of its name. Write better definitions by hand.",
    into: { [guardrailType]: topicPolicy },
  },
  {
    section: "guardrails.content_filter",
    keys: ["spec.guardrails.*.[content_filter]"],
    coverage: "partial",
    detail: () =>
      "Keywords become blocked words; categories become Bedrock's own filters at high strength; patterns are lost.",
    into: { [guardrailType]: wordPolicy },
  },
  {
    section: "guardrails.prompt_injection",
    keys: ["spec.guardrails.*.[prompt_injection]"],
    coverage: "emulated",
    detail: () => "Bedrock's filter for prompt attacks decides in place of the heuristic.",
    into: { [guardrailType]: promptAttackFilter },
  },
  ...[
    ["max_length", "Limit the text in your client, and answers by max_tokens."],
    ["cost_limit", "Limit answers by max_tokens."],
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
  lostSection(
    "observability",
    ["spec.observability"],
    "Bedrock returns traces with answers when the caller asks for them; nothing is set on the agent.",
  ),
];

/** `kind: Agent` on Amazon Web Services. */
export const agentTable = sectionTable<AgentManifest>({
  resources: [
    {
      resource_type: guardrailType,
      source_section: "guardrails",
      name: guardrailName,
      when: needsGuardrail,
      config: emptyGuardrail,
    },
    {
      resource_type: roleType,
      source_section: "identity",
      name: roleName,
      config: (manifest) => bedrockRole(roleName(manifest)),
    },
    {
      resource_type: agent,
      source_section: "identity",
      name: ({ metadata }) => metadata.name,
      config: ({ metadata }) => ({
        agentName: bedrockName(metadata.name),
        foundationModel: modelByDefault,
        instruction: instructionByDefault,
      }),
      finish(config, manifest) {
        config.agentResourceRoleArn = bind(config, reference(manifest, roleType, roleName(manifest)));
        if (!needsGuardrail(manifest)) return;
        const guardrail = bind(config, reference(manifest, guardrailType, guardrailName(manifest)));
        config.guardrailConfiguration = { guardrailIdentifier: guardrail, guardrailVersion: "DRAFT" };
      },
    },
    {
      resource_type: alias,
      source_section: "identity",
      name: ({ metadata }) => `${metadata.name}-live`,
      config: () => ({ agentAliasName: "live" }),
      finish(config, manifest) {
        config.agentId = bind(config, reference(manifest, agent, manifest.metadata.name));
      },
    },
  ],
  sections: rows,
});
