import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { Month } from "./billing/micros.ts";
import { ModelUsage } from "./runs/runs.ts";

const count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) });
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

export const InvocationStatus = Type.Union([
  Type.Literal("in_progress"),
  Type.Literal("awaiting_approval"),
  Type.Literal("ok"),
  Type.Literal("error"),
  Type.Literal("timeout"),
  Type.Literal("cancelled"),
  Type.Literal("rejected"),
  Type.Literal("interrupted"),
]);
export type InvocationStatus = Static<typeof InvocationStatus>;

export const PricingStatus = Type.Union([Type.Literal("priced"), Type.Literal("unpriced")]);
export type PricingStatus = Static<typeof PricingStatus>;

/** A run in the form for its tenant, without the usage by model. */
export const InvocationSummary = Type.Object({
  invocation_id: Type.String(),
  status: InvocationStatus,
  session_id: Type.String(),
  error_code: orNull(Type.String()),
  message: orNull(Type.String({ description: "What went wrong, in a sentence." })),
  agent_version: Type.Integer({ minimum: 0 }),
  started_at: Type.String({ description: "ISO 8601 UTC." }),
  ended_at: orNull(Type.String()),
  duration_ms: orNull(count()),
  tokens_in: count(),
  tokens_out: count(),
  credits_charged_micros: count(),
  pricing_status: orNull(PricingStatus),
  count: count("1; of a rejection: how many equal ones of that second this row stands for."),
});
export type InvocationSummary = Static<typeof InvocationSummary>;

/** An agent with a history, possibly deleted. */
export const ObservedAgent = Type.Object({
  id: Type.String(),
  name: Type.String(),
  status: Type.Union([Type.Literal("active"), Type.Literal("deleted")]),
  current_version: Type.Integer(),
  deleted_at: orNull(Type.String()),
});
export type ObservedAgent = Static<typeof ObservedAgent>;

const nextCursor = Type.Optional(
  Type.String({ description: "`cursor` of the next page; absent on the last." }),
);

export const AgentInvocations = Type.Object({
  agent: ObservedAgent,
  invocations: Type.Array(InvocationSummary),
  next_cursor: nextCursor,
});
export type AgentInvocations = Static<typeof AgentInvocations>;

export const TenantInvocations = Type.Object({
  invocations: Type.Array(
    Type.Composite([InvocationSummary, Type.Object({ agent_id: Type.String(), agent_name: Type.String() })]),
  ),
  next_cursor: nextCursor,
});
export type TenantInvocations = Static<typeof TenantInvocations>;

/** One run of a tenant. */
export const InvocationDetail = Type.Composite([
  InvocationSummary,
  Type.Object({
    agent_id: Type.String(),
    agent_name: Type.String(),
    subscription_id: orNull(Type.String()),
    usage: Type.Object({ tokens_in: count(), tokens_out: count(), by_model: Type.Array(ModelUsage) }),
    usage_estimated: Type.Boolean({
      description: "Whether a model reported no usage, so that it was counted by us.",
    }),
  }),
]);
export type InvocationDetail = Static<typeof InvocationDetail>;

const sums = {
  invocations: count(),
  tokens_in: count(),
  tokens_out: count(),
  credits_charged_micros: count(),
} satisfies TProperties;

/** Usage and charges of runs. */
export const Consumption = Type.Object({
  ...sums,
  by_status: Type.Record(Type.String(), count(), { description: "Runs of each status there is one of." }),
  by_model: Type.Array(ModelUsage),
});
export type Consumption = Static<typeof Consumption>;

export const AgentMetrics = Type.Object({
  agent: ObservedAgent,
  period: Month,
  month: Consumption,
  all_time: Consumption,
});
export type AgentMetrics = Static<typeof AgentMetrics>;

export const AgentConsumption = Type.Object({
  agent_id: Type.String(),
  name: Type.String(),
  status: Type.Union([Type.Literal("active"), Type.Literal("deleted")]),
  month: Type.Object(sums),
  all_time: Type.Object(sums),
});
export type AgentConsumption = Static<typeof AgentConsumption>;

/** A tenant's usage, and its agents with the most usage, including deleted ones. */
export const UsageReport = Type.Object({
  period: Month,
  month: Consumption,
  all_time: Consumption,
  credits: Type.Object(
    {
      charged_micros: Type.Integer(),
      held_micros: Type.Integer({ description: "By runs under way." }),
      cap_micros: orNull(Type.Integer({ description: "Of a month, by the plan in force now." })),
      uncharged: Type.Object(
        {
          percent: orNull(
            Type.Integer({
              description:
                "Of what a month allows (5 % of the cap or one hold, whichever is more), rounded down; above 100 new runs are 429 `cancel_limit`. Null without a cap.",
            }),
          ),
          resets_at: Type.String({ description: "When the next month begins." }),
        },
        {
          description:
            "Cost of runs that ended uncharged by the tenant's doing (cancelled, timed out, out of iterations, approval expired, own schema or guardrail) or that wait for an approval.",
        },
      ),
    },
    { description: "The tenant's credits in the period." },
  ),
  agents: Type.Array(AgentConsumption, {
    description: "Most credits of the month first, then most of all time.",
  }),
});
export type UsageReport = Static<typeof UsageReport>;

/** A tenant's usage on one day. */
export const DayUsage = Type.Object({
  day: Type.String({ description: "`YYYY-MM-DD`, in UTC." }),
  agents: Type.Array(Type.Object({ agent_id: Type.String(), name: Type.String(), ...sums })),
  models: Type.Array(
    Type.Object({
      provider: Type.String(),
      model: Type.String(),
      tokens_in: count(),
      tokens_out: count(),
    }),
  ),
});
export type DayUsage = Static<typeof DayUsage>;

export const DailyUsage = Type.Object({
  period: Month,
  days: Type.Array(DayUsage, { description: "In order; days without runs are left out." }),
});
export type DailyUsage = Static<typeof DailyUsage>;
