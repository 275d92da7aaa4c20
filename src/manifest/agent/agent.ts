import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { ManifestRegistries, ToolRow } from "../schema/registries.ts";
import {
  closed,
  flag,
  list,
  mapping,
  name,
  number,
  objectName,
  openObject,
  template,
  text,
  whole,
} from "../schema/schema-vocabulary.ts";
import { chainSection } from "./chain.ts";
import { guardrailsSection } from "./guardrails.ts";
import { memorySection } from "./memory.ts";
import { modelSection } from "./model.ts";
import { orchestrationSection } from "./orchestration.ts";
import { releaseSection } from "./release.ts";
import { skillsSection } from "./skills.ts";
import { toolsSection } from "./tools.ts";
import { triggersSection } from "./triggers.ts";

const metadata = closed(
  {
    name: objectName({ description: "The agent's name in routes; unique among loaded agents." }),
    version: Type.String({
      pattern:
        "^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})(-[0-9A-Za-z.-]{1,64})?(\\+[0-9A-Za-z.-]{1,64})?$",
      description: "Semantic version.",
      default: "0.1.0",
      expects: "a semantic version such as 1.2.0",
    }),
    namespace: name({ description: "Logical grouping.", default: "default" }),
    labels: mapping(Type.String({ maxLength: 255, description: "The label's value." }), {
      description: "Free labels.",
      default: {},
    }),
  },
  { description: "Who the agent is to the system." },
);

const identity = closed(
  {
    display_name: Type.Optional(text(255, { description: "The name people see." })),
    description: Type.Optional(text(4096, { description: "What the agent is for, in a sentence." })),
    role: Type.Optional(text(4096, { description: "The part it plays; available to prompts." })),
    personality: Type.Optional(text(16_384, { description: "Its manner; available to prompts." })),
    avatar: Type.Optional(text(2048, { description: "Address of a picture, or an emoji." })),
  },
  { description: "Who the agent is to people.", default: {} },
);

const prompts = closed(
  {
    system: Type.Optional(template({ description: "Jinja2 template of the system prompt." })),
    context: Type.Optional(
      template({ description: "Jinja2 template that is rendered before the user's message." }),
    ),
    templates: mapping(
      template({ description: "A Jinja2 template." }),
      { description: "Templates that the others may include by name.", default: {} },
      "^[A-Za-z0-9_.-]{1,64}$",
    ),
  },
  { description: "What the model is told.", default: {} },
);

const knowledge = closed(
  {
    pipeline: objectName({ description: "The RAG pipeline that is searched with every query." }),
    top_k: whole(1, 100, { description: "Passages brought into the prompt.", default: 5 }),
  },
  { description: "Documents the agent answers from." },
);

const permissions = closed(
  {
    allowed_actions: Type.Optional(
      list(text(128, { description: "An action." }), 256, {
        description: "The actions that tools of this agent may take; absent: all.",
      }),
    ),
  },
  { description: "What tools may do.", default: {} },
);

const observability = closed(
  {
    tracing: flag({ description: "Whether runs are traced.", default: true }),
    sample_rate: number(0, 1, { description: "Share of runs that are traced.", default: 1 }),
    record: flag({ description: "Whether traces hold what was said, not only figures.", default: false }),
  },
  { description: "What is recorded of runs.", default: {} },
);

const a2a = closed(
  {
    enabled: flag({
      description: "Whether other agents can call it over the Agent2Agent protocol, at `/a2a/<name>`.",
      default: false,
    }),
  },
  { description: "Availability to agents of other systems." },
);

type ChannelEntry = { type: string; config: Record<string, unknown> };

function channels(rows: ReadonlyMap<string, ToolRow> | undefined) {
  const variants: TSchema[] =
    rows === undefined
      ? [
          closed({
            type: name({ description: "The kind of channel." }),
            config: openObject({ description: "The channel's own options.", default: {} }),
          }),
        ]
      : [...rows].map(([type, row]) =>
          closed(
            {
              type: Type.Literal(type, { description: "The kind of channel." }),
              config: closed(row.options.properties, { description: "The channel's own options." }),
            },
            { description: row.description },
          ),
        );
  return list(Type.Unsafe<ChannelEntry>(Type.Union(variants)), 16, {
    description: "Where the agent listens, beside the API.",
    default: [],
  });
}

/**
 * Returns the schema of `kind: Agent` as it is after reading: aliases folded, defaults filled in. Keys with a default may be omitted. With
 * `registries`, it accepts exactly what their executable can run.
 */
export const agentSchema = (registries: ManifestRegistries) =>
  closed(
    {
      apiVersion: Type.Literal("platform/v1", { description: "The version of this format." }),
      kind: Type.Literal("Agent", { description: "What the document describes." }),
      metadata,
      spec: closed(
        {
          identity,
          model: Type.Optional(modelSection(registries)),
          prompts,
          orchestration: orchestrationSection(registries),
          tools: toolsSection(registries),
          memory: memorySection(registries),
          knowledge: Type.Optional(knowledge),
          guardrails: guardrailsSection(registries.guardrails),
          permissions,
          output_schema: Type.Optional(
            openObject({
              description:
                "The shape of `data` in the result: a JSON Schema (2020-12, references inside it only, at most 64 KiB, 300 schemas, 1000 rules and 32 levels; `format` is checked, `pattern` runs in linear time), or the shorthand `{field: type}` with string, number, integer, boolean, array, object.",
            }),
          ),
          chain: Type.Optional(chainSection),
          channels: channels(registries.channels),
          triggers: Type.Optional(triggersSection),
          skills: Type.Optional(skillsSection),
          a2a: Type.Optional(a2a),
          release: Type.Optional(releaseSection),
          observability,
        },
        { description: "What the agent does." },
      ),
    },
    { title: "Agent", description: "An agent: who it is, which models answer, what it may do and remember." },
  );

/** The schema without registries: names are checked only by shape. */
export const AgentSchema = agentSchema({});

/** An agent after reading: aliases folded, defaults filled in, no unknown keys. */
export type AgentManifest = Static<typeof AgentSchema>;
