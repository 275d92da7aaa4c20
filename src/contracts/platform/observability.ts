import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { FeedbackSource, RunFeedback } from "../daemon/runs/feedback.ts";
import { RunSource, sourceParameter } from "../daemon/runs/run-source.ts";
import { BeginningTexts } from "../runtime/runs.ts";
import { Month } from "./billing/fields.ts";
import { ModelUsage } from "./runs/runs.ts";
import { StorageUse } from "./stored.ts";

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

/** Query of a list of runs by their verdicts and sources. */
export const qualityQuery = {
  feedback: Type.Optional(
    Type.Union([Type.Literal("up"), Type.Literal("down"), Type.Literal("any")], {
      description: "Returns only runs that someone judged so, or at all.",
    }),
  ),
  feedback_source: Type.Optional(FeedbackSource),
  source: sourceParameter("all"),
};

/** A run in the form for its tenant, without the usage by model. */
export const InvocationSummary = Type.Object({
  ...RunFeedback.properties,
  invocation_id: Type.String(),
  source: RunSource,
  status: InvocationStatus,
  session_id: Type.String(),
  error_code: orNull(Type.String()),
  message: orNull(Type.String({ description: "Error message." })),
  agent_version: Type.Integer({ minimum: 0 }),
  started_at: Type.String({ description: "Start time, ISO 8601 UTC." }),
  ended_at: orNull(Type.String()),
  duration_ms: orNull(count()),
  tokens_in: count(),
  tokens_out: count(),
  credits_charged_micros: count(),
  pricing_status: orNull(PricingStatus),
  count: count("Default: 1. For a rejection, the number of identical rejections in the same second."),
});
export type InvocationSummary = Static<typeof InvocationSummary>;

/** Query for questions and answers in a list of runs. */
export const textsQuery = {
  texts: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description:
        "With `true`, runs have the beginnings of their question and answer, where their traces keep them. Default: `false`.",
    }),
  ),
};

/** A run in a list, with texts if the request asks for them. */
export const ListedInvocation = Type.Composite([InvocationSummary, BeginningTexts]);
export type ListedInvocation = Static<typeof ListedInvocation>;

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
  Type.String({ description: "Value of `cursor` for the next page. Absent on the last page." }),
);

export const AgentInvocations = Type.Object({
  agent: ObservedAgent,
  invocations: Type.Array(ListedInvocation),
  next_cursor: nextCursor,
});
export type AgentInvocations = Static<typeof AgentInvocations>;

export const TenantInvocations = Type.Object({
  invocations: Type.Array(
    Type.Composite([ListedInvocation, Type.Object({ agent_id: Type.String(), agent_name: Type.String() })]),
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
      description: "True if a model reported no usage and Argosy estimated it.",
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

/** Models that a sum over runs lists at most. */
export const listedModelsMax = 200;

/** Usage and charges of runs. */
export const Consumption = Type.Object({
  ...sums,
  by_status: Type.Record(Type.String(), count(), {
    description: "Number of runs by status. Statuses without runs are omitted.",
  }),
  by_model: Type.Array(ModelUsage, {
    description: `The ${listedModelsMax} models with the most tokens, in descending order.`,
  }),
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

/** Agents that a tenant's usage lists at most. */
export const rankedAgentsMax = 500;

/** A tenant's usage, and its agents with the most usage, including deleted ones. */
export const UsageReport = Type.Object({
  period: Month,
  month: Consumption,
  all_time: Consumption,
  credits: Type.Object(
    {
      charged_micros: Type.Integer(),
      held_micros: Type.Integer({ description: "Credits held for runs in progress, in micros." }),
      cap_micros: orNull(
        Type.Integer({ description: "Monthly credit cap of the current plan, in micros. Null: no cap." }),
      ),
      granted_micros: Type.Integer({ description: "Part of the charged credits that grants paid." }),
      grants_left_micros: Type.Integer({
        description: "Unexpired credits of grants that are not used yet; 0 for a past period.",
      }),
      uncharged: Type.Object(
        {
          percent: orNull(
            Type.Integer({
              description:
                "Used share of the monthly limit (5% of the cap or one credit hold, whichever is higher), in percent, rounded down. Above 100, new runs fail with 429 `cancel_limit`. Null without a cap.",
            }),
          ),
          resets_at: Type.String({ description: "Start of the next month." }),
        },
        {
          description:
            "Cost of runs that are awaiting approval or that ended uncharged for a reason on the tenant's side: cancellation, timeout, iteration limit, expired approval, or the agent's own schema or guardrail.",
        },
      ),
    },
    { description: "Credits of the tenant in the period." },
  ),
  storage: StorageUse,
  agents: Type.Array(AgentConsumption, {
    description: `Agents sorted by credits of the month, then by credits of all time, both in descending order; at most ${rankedAgentsMax}.`,
  }),
});
export type UsageReport = Static<typeof UsageReport>;

/** Agents, and models, that one day of a tenant's usage lists at most. */
export const listedPerDayMax = 100;

/** A tenant's usage on one day: the sums over all runs, and the agents and models with the most usage. */
export const DayUsage = Type.Object({
  day: Type.String({ description: "UTC day, `YYYY-MM-DD`." }),
  ...sums,
  agents: Type.Array(Type.Object({ agent_id: Type.String(), name: Type.String(), ...sums }), {
    description: `The ${listedPerDayMax} agents with the most credits, then runs, in descending order.`,
  }),
  models: Type.Array(
    Type.Object({
      provider: Type.String(),
      model: Type.String(),
      tokens_in: count(),
      tokens_out: count(),
    }),
    { description: `The ${listedPerDayMax} models with the most tokens, in descending order.` },
  ),
});
export type DayUsage = Static<typeof DayUsage>;

export const DailyUsage = Type.Object({
  period: Month,
  days: Type.Array(DayUsage, { description: "Days in ascending order. Days without runs are omitted." }),
});
export type DailyUsage = Static<typeof DailyUsage>;
