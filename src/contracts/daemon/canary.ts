import { type Static, Type } from "@sinclair/typebox";

const Figures = Type.Object({
  runs: Type.Integer({ description: "Finished runs since the canary began." }),
  errors: Type.Integer(),
  rated: Type.Integer({ description: "Runs with feedback." }),
  liked: Type.Integer({ description: "Runs with positive feedback." }),
  mean_cost_usd: Type.Optional(
    Type.Number({ description: "Mean cost of the runs whose cost is known; absent if there is none." }),
  ),
});

const CanaryEvent = Type.Object({
  event: Type.Union([
    Type.Literal("started"),
    Type.Literal("judged"),
    Type.Literal("promoted"),
    Type.Literal("returned"),
    Type.Literal("withdrawn"),
  ]),
  at: Type.String({ description: "Time in ISO 8601." }),
  reasons: Type.Optional(Type.Array(Type.String())),
  by: Type.Optional(Type.Literal("owner", { description: "Set if a person ended the canary." })),
});

export const Canary = Type.Object({
  agent: Type.String(),
  state: Type.Union(
    [Type.Literal("open"), Type.Literal("promoted"), Type.Literal("returned"), Type.Literal("withdrawn")],
    { description: "`withdrawn`: another version replaced it before it ended." },
  ),
  fingerprint: Type.String({ description: "Version that is or was the canary." }),
  baseline: Type.String({ description: "Version in service beside it." }),
  percent: Type.Number({ description: "Share of sessions." }),
  figures: Type.Optional(
    Type.Object(
      { canary: Figures, baseline: Figures },
      { description: "Figures of both versions, now or at the end." },
    ),
  ),
  events: Type.Array(CanaryEvent),
});
export type Canary = Static<typeof Canary>;

export const CanaryEnd = Type.Object(
  {
    verdict: Type.Union([Type.Literal("promote"), Type.Literal("return")]),
    reason: Type.String({ minLength: 1, maxLength: 500, description: "Reason, for the audit." }),
  },
  { additionalProperties: false },
);
export type CanaryEnd = Static<typeof CanaryEnd>;
