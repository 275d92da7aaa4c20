import { type Static, Type } from "@sinclair/typebox";

const usd = (description: string) => Type.Number({ description: `${description} In US dollars.` });
const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Fields of every total. */
const totals = {
  cost: usd("What the calls with a known price cost."),
  input_tokens: count("Tokens that models read."),
  output_tokens: count("Tokens that models wrote."),
  tokens: count("Both together."),
  calls: count("Model calls."),
  unpriced_calls: count("Those whose price nobody knows: they are not in the cost."),
};

const Totals = Type.Object(totals);

export const CostSummary = Type.Object({
  total_cost: usd("What all calls with a known price cost."),
  total_input_tokens: count("Tokens that models read."),
  total_output_tokens: count("Tokens that models wrote."),
  total_tokens: count("Both together."),
  num_calls: count("Model calls."),
  avg_latency_ms: Type.Number({ description: "Mean duration of a call; 0 without calls." }),
  unpriced_calls: count("Calls whose price nobody knows: they are not in the cost."),
  estimated_calls: count("Calls whose tokens were counted by us, because the provider reported none."),
  by_provider: Type.Record(Type.String(), Totals, { description: "By the provider's name." }),
  by_model: Type.Record(
    Type.String(),
    Type.Object({
      ...totals,
      providers: Type.Array(Type.String(), { description: "Who was called for it." }),
    }),
    { description: "By the model's name." },
  ),
  by_agent: Type.Record(Type.String(), Totals, { description: "By the agent that called." }),
  counted_from: Type.String({
    description:
      "The instant since which all calls are counted here (ISO 8601 UTC): `since` (of time before the daemon's start its whole hour), or the first call on record, or the start of the daemon.",
  }),
});
export type CostSummary = Static<typeof CostSummary>;

export const CostInterval = Type.Object({
  start: Type.String({ description: "Its first instant, ISO 8601 UTC; the length is `interval`." }),
  agent: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  ...totals,
});
export type CostInterval = Static<typeof CostInterval>;

export const CostHistory = Type.Object({
  interval: Type.Union([Type.Literal("hour"), Type.Literal("day")]),
  intervals: Type.Array(CostInterval, {
    description: "One entry for each interval, agent and model with calls, the oldest first.",
  }),
  counted_from: Type.String({
    description: "The instant since which all calls are counted here, ISO 8601 UTC.",
  }),
});
export type CostHistory = Static<typeof CostHistory>;

export const UsageRecord = Type.Object({
  agent_name: Type.String(),
  session_id: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  cached_tokens: count("The part of the input that the provider read from its cache."),
  estimated: Type.Boolean({ description: "Whether the tokens were counted by us." }),
  cost_usd: Type.Union([Type.Number(), Type.Null()], {
    description: "Null when nobody knows the model's price.",
  }),
  latency_ms: Type.Number(),
  pattern: Type.String(),
  timestamp: Type.String({ description: "When its run ended, ISO 8601 UTC." }),
});
export type UsageRecord = Static<typeof UsageRecord>;

export const UsageRecordList = Type.Object({ records: Type.Array(UsageRecord) });
export type UsageRecordList = Static<typeof UsageRecordList>;

export const Budget = Type.Object({
  agent: Type.String(),
  has_budget: Type.Boolean(),
  budget: Type.Union([Type.Number(), Type.Null()], {
    description: "What the agent and all it lets work may spend, in US dollars; null: any amount.",
  }),
  spent: usd(
    "What was spent against the budget since it was set or reset; without one, what all of the agent's own calls cost.",
  ),
  held: usd("What is kept back for calls under way."),
  remaining: Type.Union([Type.Number(), Type.Null()], {
    description: "What is not spent, in US dollars; never negative; null without a budget.",
  }),
  exceeded: Type.Boolean({
    description:
      "Whether nothing is left, or less than the latest call that asked would have needed at most.",
  }),
  unpriced_calls: count("Calls of models without a price, which a budget can't bound and doesn't count."),
  warning: Type.Optional(Type.String({ description: "What the budget does not hold." })),
});
export type Budget = Static<typeof Budget>;

export const BudgetList = Type.Object({ budgets: Type.Array(Budget) });
export type BudgetList = Static<typeof BudgetList>;

export const BudgetChange = Type.Object(
  {
    budget: Type.Optional(
      Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
        description:
          "US dollars, at most six decimals; null takes the budget away. Absent: it stays as it is.",
      }),
    ),
    reset: Type.Optional(
      Type.Boolean({ description: "Whether what was spent so far doesn't count any more." }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type BudgetChange = Static<typeof BudgetChange>;
