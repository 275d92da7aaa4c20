import { type Static, Type } from "@sinclair/typebox";
import { RunSource } from "../runs/run-source.ts";

const usd = (description: string) => Type.Number({ description: `${description} In US dollars.` });
const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Fields of every total. */
const totals = {
  cost: usd("Cost of the calls with a known price."),
  input_tokens: count("Number of input tokens."),
  output_tokens: count("Number of output tokens."),
  tokens: count("Sum of input and output tokens."),
  calls: count("Number of model calls."),
  unpriced_calls: count("Number of calls without a known price, which the cost does not include."),
};

const Totals = Type.Object(totals);

export const CostSummary = Type.Object({
  total_cost: usd("Cost of all calls with a known price."),
  total_input_tokens: count("Number of input tokens."),
  total_output_tokens: count("Number of output tokens."),
  total_tokens: count("Sum of input and output tokens."),
  num_calls: count("Number of model calls."),
  avg_latency_ms: Type.Number({
    description: "Mean duration of a call in milliseconds; 0 if there are no calls.",
  }),
  unpriced_calls: count("Number of calls without a known price, which the cost does not include."),
  estimated_calls: count(
    "Number of calls whose tokens Argosy estimated because the provider reported no usage.",
  ),
  by_provider: Type.Record(Type.String(), Totals, { description: "Totals by provider name." }),
  by_model: Type.Record(
    Type.String(),
    Type.Object({
      ...totals,
      providers: Type.Array(Type.String(), { description: "Providers called for this model." }),
    }),
    { description: "Totals by model name." },
  ),
  by_agent: Type.Record(Type.String(), Totals, { description: "Totals by calling agent." }),
  by_source: Type.Record(Type.String(), Totals, {
    description: "Totals by source of the run, whichever sources the other totals count.",
  }),
  counted_from: Type.String({
    description:
      "Start of the counted period, ISO 8601 UTC: `since` (rounded to its hour if it is before the daemon's start), the hour of the first recorded call, or the daemon's start.",
  }),
});
export type CostSummary = Static<typeof CostSummary>;

export const CostInterval = Type.Object({
  start: Type.String({ description: "Start of the interval, ISO 8601 UTC. Its length is `interval`." }),
  agent: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  source: RunSource,
  ...totals,
});
export type CostInterval = Static<typeof CostInterval>;

export const CostHistory = Type.Object({
  interval: Type.Union([Type.Literal("hour"), Type.Literal("day")]),
  starts: Type.Array(Type.String(), {
    description:
      "Starts of all intervals from the first with calls to the last, also of those without calls.",
  }),
  intervals: Type.Array(CostInterval, {
    description:
      "One entry for each combination of interval, agent, model and source with calls, oldest first. Beyond about 10,000, the combinations with the lowest cost are one of each source, named `other`.",
  }),
  counted_from: Type.String({
    description: "Start of the counted period, ISO 8601 UTC.",
  }),
});
export type CostHistory = Static<typeof CostHistory>;

export const CostRecord = Type.Object({
  agent_name: Type.String(),
  session_id: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  cached_tokens: count("Number of input tokens that the provider read from its cache."),
  estimated: Type.Boolean({ description: "True if Argosy estimated the token counts." }),
  cost_usd: Type.Union([Type.Number(), Type.Null()], {
    description: "Cost in US dollars; null if the model's price is unknown.",
  }),
  latency_ms: Type.Number(),
  pattern: Type.String(),
  source: RunSource,
  timestamp: Type.String({ description: "Time the run ended, ISO 8601 UTC." }),
});
export type CostRecord = Static<typeof CostRecord>;

export const UsageRecordList = Type.Object({ records: Type.Array(CostRecord) });
export type UsageRecordList = Static<typeof UsageRecordList>;

export const Budget = Type.Object({
  agent: Type.String(),
  has_budget: Type.Boolean(),
  budget: Type.Union([Type.Number(), Type.Null()], {
    description:
      "Spending limit of the agent and the agents it calls, in US dollars; null if there is no limit.",
  }),
  spent: usd(
    "Amount spent since the budget was set or reset; without a budget, the cost of all the agent's own calls.",
  ),
  held: usd("Amount reserved for calls in progress."),
  remaining: Type.Union([Type.Number(), Type.Null()], {
    description: "Unspent part of the budget, in US dollars; never negative; null without a budget.",
  }),
  exceeded: Type.Boolean({
    description:
      "True if the budget is used up, or if the rest is less than the maximum cost of the last refused call.",
  }),
  unpriced_calls: count(
    "Number of calls to models without a price, which the budget neither counts nor limits.",
  ),
  warning: Type.Optional(Type.String({ description: "Warning about calls that the budget does not limit." })),
});
export type Budget = Static<typeof Budget>;

export const BudgetList = Type.Object({ budgets: Type.Array(Budget) });
export type BudgetList = Static<typeof BudgetList>;

export const BudgetChange = Type.Object(
  {
    budget: Type.Optional(
      Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
        description:
          "Budget in US dollars, at most six decimal places; null removes the budget. If absent, the budget does not change.",
      }),
    ),
    reset: Type.Optional(Type.Boolean({ description: "If true, resets the amount spent to 0." })),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type BudgetChange = Static<typeof BudgetChange>;

/** What hosted models cost, in millionths of a US dollar for 1,000 tokens. */
export interface PriceTable {
  note?: string;
  vendors: Record<string, VendorPrices>;
}

export interface VendorPrices {
  source: string;
  /** Day or month when the prices were read. */
  taken: string;
  hosts: string[];
  models: Record<
    string,
    {
      in: number;
      out: number;
      cached?: number;
      written?: number;
      audio_in?: number;
      audio_out?: number;
      /** The price holds for requests up to this many tokens. */
      up_to?: number;
    }
  >;
}
