import { type Static, Type } from "@sinclair/typebox";
import { ChainResult, Proposal, Query, Remember, SessionId } from "../../daemon/runs/run.ts";
import { DeclaredSource } from "../../daemon/runs/run-source.ts";
import { RunTurns } from "../../daemon/runs/turns.ts";

/** A run's usage of one model in one role. `tokens_in` includes tokens read from a cache. */
export const ModelUsage = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  role: Type.String({
    description: "Role of the model: `main`, or a role of the agent's pattern, such as `planner`.",
  }),
  tokens_in: Type.Integer({ minimum: 0 }),
  tokens_out: Type.Integer({ minimum: 0 }),
  tokens: Type.Integer({ minimum: 0, description: "Sum of input and output tokens." }),
  tokens_cached: Type.Integer({ minimum: 0 }),
});
export type ModelUsage = Static<typeof ModelUsage>;

export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** Image of a user message. */
export const RunImage = Type.Object(
  {
    media_type: Type.Union(imageTypes.map((type) => Type.Literal(type))),
    data: Type.String({ minLength: 1, pattern: "^[A-Za-z0-9+/]+={0,2}$", description: "Base64." }),
  },
  { additionalProperties: false },
);
export type RunImage = Static<typeof RunImage>;

/** Images of one run. */
export const RunImages = Type.Array(RunImage, {
  maxItems: 8,
  description:
    "Images of the user message, at most 4 MiB as base64 together. Agents whose model sees receive them; for others the query must name them.",
});

/** Body of a synchronous run. */
export const PlatformRunRequest = Type.Object(
  {
    query: Query("User message."),
    session_id: Type.Optional(SessionId),
    context: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "Values for the agent's prompts, at most 64 KiB as JSON. Keys that start with `_` are reserved.",
      }),
    ),
    images: Type.Optional(RunImages),
    trace_content: Type.Optional(
      Type.Boolean({
        description:
          "If true, the run's trace contains the question, the answer, and the inputs and outputs of tools. Default: the agent's `observability.record`.",
      }),
    ),
    remember: Type.Optional(Remember),
    turns: Type.Optional(RunTurns),
    source: Type.Optional(DeclaredSource),
  },
  { additionalProperties: false },
);
export type PlatformRunRequest = Static<typeof PlatformRunRequest>;

/** A question to an agent that is not stored as it is sent. */
export const PlatformTrial = Type.Object(
  {
    spec: Type.Union([Type.String({ minLength: 1 }), Type.Object({}, { additionalProperties: true })], {
      description: "The agent's manifest, as YAML or JSON.",
    }),
    query: PlatformRunRequest.properties.query,
    context: PlatformRunRequest.properties.context,
    trace_content: PlatformRunRequest.properties.trace_content,
    turns: PlatformRunRequest.properties.turns,
  },
  { additionalProperties: false },
);
export type PlatformTrial = Static<typeof PlatformTrial>;

/** Money is in micros of a credit: 1 credit = 1,000,000. */
export const PlatformRunResult = Type.Object({
  invocation_id: Type.String(),
  status: Type.Literal("ok"),
  session_id: Type.String(),
  answer: Type.String(),
  usage: Type.Object({
    tokens_in: Type.Integer({ minimum: 0 }),
    tokens_out: Type.Integer({ minimum: 0 }),
    by_model: Type.Array(ModelUsage),
  }),
  credits_charged_micros: Type.Integer({ minimum: 0 }),
  pricing_status: Type.Union([Type.Literal("priced"), Type.Literal("unpriced")]),
  data: Type.Optional(
    Type.Unknown({
      description: "Object parsed from the answer if the agent has an `output_schema`, or null.",
    }),
  ),
  chain: Type.Optional(ChainResult),
  propuestas: Type.Optional(Type.Array(Proposal)),
});
export type PlatformRunResult = Static<typeof PlatformRunResult>;
