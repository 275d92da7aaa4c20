import { type Static, Type } from "@sinclair/typebox";
import { StorageUse } from "../platform/stored.ts";

/** Agents that an org's usage lists at most. */
export const rankedAgentsMax = 500;

/** Keys and models that an org's usage lists at most. */
export const rankedCostsMax = 500;

const costs = {
  cost_micros: Type.Integer({
    description: "Sum of the known costs at the org's providers, in micros of USD, tests included.",
  }),
  unpriced_tokens: Type.Integer({
    description:
      "Tokens whose cost is unknown: no price is known, or the run is from before costs were kept.",
  }),
};
const used = { requests: Type.Integer(), tokens: Type.Integer(), ...costs };

export const OrgUsageReport = Type.Object({
  period_days: Type.Integer(),
  total_requests: Type.Integer(),
  total_tokens: Type.Integer(),
  daily_limit: Type.Integer(),
  remaining_today: Type.Integer(),
  ...costs,
  by_agent: Type.Array(Type.Object({ agent: Type.String(), ...used }), {
    description: `The ${rankedAgentsMax} agents with the most requests, in descending order. Tests count in the costs alone.`,
  }),
  by_model: Type.Array(Type.Object({ provider: Type.String(), model: Type.String(), ...used }), {
    description: `The ${rankedCostsMax} models with the highest cost, in descending order. A run counts at each model that it used.`,
  }),
  by_key: Type.Array(
    Type.Object({
      key_id: Type.Union([Type.String(), Type.Null()], { description: "Null for runs without an API key." }),
      name: Type.String({ description: "Name of the key, or what caused the runs." }),
      caused_by: Type.Union(
        [
          Type.Literal("key"),
          Type.Literal("person"),
          Type.Literal("eval"),
          Type.Literal("test"),
          Type.Literal("late"),
        ],
        { description: "`late`: what runs used after their ends, such as summaries of conversations." },
      ),
      ...used,
    }),
    { description: `The ${rankedCostsMax} keys with the highest cost, in descending order.` },
  ),
  storage: Type.Optional(StorageUse),
  by_day: Type.Optional(
    Type.Array(
      Type.Object({ day: Type.String(), requests: Type.Integer(), tokens: Type.Integer(), ...costs }),
      {
        description: "With `by_day=true`: every UTC day of the period, `YYYY-MM-DD`, oldest first.",
      },
    ),
  ),
});
export type OrgUsageReport = Static<typeof OrgUsageReport>;
