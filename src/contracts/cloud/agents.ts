import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { ShownName, visiblePattern } from "../platform/shown-name.ts";

/** Name of an agent, which is part of routes. */
export const agentNamePattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

const modelName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 319, pattern: "^[^\\s\\u0000-\\u001f]+$", description });

const promptCharsMax = 256 * 1024;

const guardrailEntry = Type.Union([
  Type.String({ minLength: 1, maxLength: 64 }),
  Type.Unsafe<{ type: string } & Record<string, unknown>>(
    Type.Object({ type: Type.String({ minLength: 1, maxLength: 64 }) }, { additionalProperties: true }),
  ),
]);
export type GuardrailChoice = Static<typeof guardrailEntry>;

export const toolsMax = 64;
/** Of one stage. */
export const guardrailsMax = 32;

const guardrails = (description: string) =>
  Type.Array(guardrailEntry, { maxItems: guardrailsMax, description });

/** The five steps of the wizard, by their keys. Every value is optional while the agent is a draft. */
export const wizardSteps = {
  step1: closed({
    model: Type.Optional(modelName("The primary model, `<provider>/<model>`.")),
    fallback_model: Type.Optional(modelName("Used if the primary fails.")),
  }),
  step2: closed({
    system_prompt: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: promptCharsMax,
        pattern: visiblePattern,
        description: "A Jinja2 template; `session_id` and `context` are available.",
        fault: `must be 1 to ${promptCharsMax} characters, at least one of them visible`,
      }),
    ),
    persona: Type.Optional(ShownName(255)),
  }),
  step3: closed({
    tools: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: toolsMax,
        description: "Names of the catalog's tools.",
      }),
    ),
  }),
  step4: closed({
    memory_type: Type.Optional(
      Type.Union([Type.Literal("conversational"), Type.Literal("semantic"), Type.Literal("episodic")]),
    ),
    memory_strategy: Type.Optional(
      Type.Union([Type.Literal("sliding_window"), Type.Literal("summary"), Type.Literal("token_budget")]),
    ),
    window_size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        description: "Messages (20).",
        fault: "must be a whole number from 1 to 200",
      }),
    ),
  }),
  step5: closed({
    input_guardrails: Type.Optional(guardrails("Names of input filters, or objects with options.")),
    output_guardrails: Type.Optional(guardrails("Names of output filters, or objects with options.")),
    max_tokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 32_000,
        description: "Longest answer, in tokens (1000).",
        fault: "must be a whole number from 1 to 32000",
      }),
    ),
  }),
};

export const stepNames = ["step1", "step2", "step3", "step4", "step5"] as const;

const { step1, step2, step3, step4, step5 } = wizardSteps;

export const WizardConfig = closed({
  step1: Type.Optional(step1),
  step2: Type.Optional(step2),
  step3: Type.Optional(step3),
  step4: Type.Optional(step4),
  step5: Type.Optional(step5),
});
export type WizardConfig = Static<typeof WizardConfig>;

const AgentName = Type.String({
  pattern: agentNamePattern,
  description: "1 to 63 lower-case letters, digits and hyphens, not at the ends.",
  fault: "must be 1 to 63 lower-case letters, digits and hyphens, and neither begin nor end with a hyphen",
});

export const AgentRename = Type.Object({ name: AgentName }, { additionalProperties: false });
export type AgentRename = Static<typeof AgentRename>;

export const AgentInput = Type.Object(
  {
    name: AgentName,
    display_name: ShownName(255),
    ...WizardConfig.properties,
  },
  { additionalProperties: false },
);
export type AgentInput = Static<typeof AgentInput>;

/** Part of a config, merged key by key within a step; null removes a key or a step. */
export const OrgAgentChange = Type.Object(
  {
    display_name: Type.Optional(ShownName(255)),
    step1: Type.Optional(Type.Union([changed(step1), Type.Null()])),
    step2: Type.Optional(Type.Union([changed(step2), Type.Null()])),
    step3: Type.Optional(Type.Union([changed(step3), Type.Null()])),
    step4: Type.Optional(Type.Union([changed(step4), Type.Null()])),
    step5: Type.Optional(Type.Union([changed(step5), Type.Null()])),
  },
  { additionalProperties: false },
);
export type OrgAgentChange = Static<typeof OrgAgentChange>;

/** The documented form of a step in a change; the merged config is checked, so this one is not closed. */
function changed(step: { description?: string }) {
  return Type.Record(Type.String(), Type.Unknown(), {
    ...(step.description ? { description: step.description } : {}),
  });
}

export const OrgAgentStatus = Type.Union([
  Type.Literal("draft"),
  Type.Literal("deployed"),
  Type.Literal("paused"),
]);
export type OrgAgentStatus = Static<typeof OrgAgentStatus>;

export const AgentItem = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  status: OrgAgentStatus,
  model: Type.Union([Type.String(), Type.Null()], {
    description: "`<provider>/<model>`; null until it is chosen.",
  }),
  created_at: Type.String(),
  has_draft: Type.Optional(
    Type.Literal(true, { description: "Present if its next version is a draft that can be published." }),
  ),
});
export type AgentItem = Static<typeof AgentItem>;

export const AgentItems = Type.Object({ agents: Type.Array(AgentItem) });
export type AgentItems = Static<typeof AgentItems>;

export const CloudAgent = Type.Composite([
  AgentItem,
  Type.Object({
    agent_id: Type.String({ description: "`<org>__<name>`: its id in the runtime." }),
    updated_at: Type.String(),
    deployed_at: Type.Union([Type.String(), Type.Null()]),
    former_names: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), renamed_at: Type.String() }), {
        description: "Earlier names of the agent, the last one first. In the answer for one agent.",
      }),
    ),
  }),
  WizardConfig,
]);
export type CloudAgent = Static<typeof CloudAgent>;

/** The next version of a deployed or paused agent, which is not in force yet. */
export const AgentDraft = Type.Composite([
  Type.Pick(AgentItem, ["name", "display_name", "model"]),
  Type.Object({ updated_at: Type.String() }),
  WizardConfig,
]);
export type AgentDraft = Static<typeof AgentDraft>;

export const Deployed = Type.Object({
  status: Type.Literal("deployed"),
  agent_id: Type.String(),
  deployed_at: Type.String(),
});
export type Deployed = Static<typeof Deployed>;

export const Paused = Type.Object({ status: Type.Literal("paused") });
export type Paused = Static<typeof Paused>;

/** The result of checking a config without storing it. */
export const ConfigCheck = Type.Object({
  problems: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
    description: "Faults for which a write is refused.",
  }),
  missing: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
    description: "Further faults for which a deployment is refused.",
  }),
  manifest: Type.Union([Type.String(), Type.Null()], {
    description: "The manifest that the config compiles to, as YAML; null while `problems` has any.",
  }),
});
export type ConfigCheck = Static<typeof ConfigCheck>;

const OfferedGuardrail = Type.Object({
  name: Type.String(),
  description: Type.String(),
  options: Type.Unknown({ description: "JSON Schema of its options." }),
});

/** Names that a config may use. */
export const CloudCatalog = Type.Object({
  providers: Type.Array(
    Type.Object({
      provider: Type.String(),
      needs_key: Type.Boolean(),
      models: Type.Array(Type.String(), {
        description: "Models with a list price; others may be named, too.",
      }),
    }),
  ),
  tools: Type.Array(Type.Object({ name: Type.String(), description: Type.String(), writes: Type.Boolean() })),
  input_guardrails: Type.Array(OfferedGuardrail),
  output_guardrails: Type.Array(OfferedGuardrail),
});
export type CloudCatalog = Static<typeof CloudCatalog>;
