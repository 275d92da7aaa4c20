import { type Static, Type } from "@sinclair/typebox";
import { StorageUse } from "../platform/stored.ts";

/** Agents that an org's usage lists at most. */
export const rankedAgentsMax = 500;

export const UsageReport = Type.Object({
  period_days: Type.Integer(),
  total_requests: Type.Integer(),
  total_tokens: Type.Integer(),
  daily_limit: Type.Integer(),
  remaining_today: Type.Integer(),
  by_agent: Type.Array(
    Type.Object({ agent: Type.String(), requests: Type.Integer(), tokens: Type.Integer() }),
    { description: `The ${rankedAgentsMax} agents with the most requests, in descending order.` },
  ),
  storage: Type.Optional(StorageUse),
  by_day: Type.Optional(
    Type.Array(Type.Object({ day: Type.String(), requests: Type.Integer(), tokens: Type.Integer() }), {
      description: "With `by_day=true`: every UTC day of the period, `YYYY-MM-DD`, oldest first.",
    }),
  ),
});
export type UsageReport = Static<typeof UsageReport>;
