import type {
  Budget,
  CostHistory,
  CostInterval,
  CostRecord,
  CostSummary,
} from "../../../contracts/daemon/models/costs.ts";
import { type RunSource, usualSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { UsageRecord } from "../../../engine/spending/usage-record.ts";
import { usdOfMicros } from "../../../kit/usd.ts";
import type { BudgetState } from "./budget-account.ts";
import type { Counted, IntervalTally, ModelTally } from "./cost-tracker.ts";
import type { HistorySpan } from "./read-query.ts";
import { addTally, newTally, type Tally } from "./tally.ts";

/** `rows`: of all sources; `sources`: those that are summed. */
export function presentSummary(
  { rows: all, from }: Counted<ModelTally>,
  sources: readonly RunSource[] | undefined,
): CostSummary {
  const rows = all.filter(({ source }) => sources === undefined || sources.includes(source));
  const whole = newTally();
  for (const { tally } of rows) addTally(whole, tally);
  const byModel = grouped(rows, ({ model }) => model);
  return {
    total_cost: usdOfMicros(whole.costMicros),
    total_input_tokens: whole.inputTokens,
    total_output_tokens: whole.outputTokens,
    total_tokens: whole.inputTokens + whole.outputTokens,
    num_calls: whole.calls,
    avg_latency_ms: whole.calls === 0 ? 0 : Math.round((whole.latencyMs / whole.calls) * 1000) / 1000,
    unpriced_calls: whole.unpricedCalls,
    estimated_calls: whole.estimatedCalls,
    by_provider: totalsOf(grouped(rows, ({ provider }) => provider)),
    by_model: Object.fromEntries(
      [...byModel].map(([model, { tally, providers }]) => [
        model,
        { ...presentTally(tally), providers: [...providers].sort() },
      ]),
    ),
    by_agent: totalsOf(grouped(rows, ({ agent }) => agent)),
    by_source: totalsOf(grouped(all, ({ source }) => source)),
    counted_from: from.toISOString(),
  };
}

interface Group {
  tally: Tally;
  providers: Set<string>;
}

function grouped(rows: readonly ModelTally[], keyOf: (row: ModelTally) => string): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key) ?? { tally: newTally(), providers: new Set<string>() };
    groups.set(key, group);
    addTally(group.tally, row.tally);
    group.providers.add(row.provider);
  }
  return groups;
}

function totalsOf(groups: ReadonlyMap<string, Group>): CostSummary["by_agent"] {
  return Object.fromEntries([...groups].map(([key, { tally }]) => [key, presentTally(tally)]));
}

function presentTally(tally: Tally): CostSummary["by_agent"][string] {
  return {
    cost: usdOfMicros(tally.costMicros),
    input_tokens: tally.inputTokens,
    output_tokens: tally.outputTokens,
    tokens: tally.inputTokens + tally.outputTokens,
    calls: tally.calls,
    unpriced_calls: tally.unpricedCalls,
  };
}

export function presentHistory(
  interval: CostHistory["interval"],
  span: HistorySpan,
  { rows, from }: Counted<IntervalTally>,
): CostHistory {
  const starts = startsOf(rows, span);
  return {
    interval,
    starts,
    intervals: withOthers(rows, Math.floor(entriesMax / Math.max(1, starts.length))).map(
      ({ startsAt, agent, provider, model, source, tally }): CostInterval => ({
        start: startsAt.toISOString(),
        agent,
        provider,
        model,
        source,
        ...presentTally(tally),
      }),
    ),
    counted_from: from.toISOString(),
  };
}

/** Entries of one history, about 2 MB. */
const entriesMax = 10_000;
const other = "other";

/** Adds up the cheapest combinations of agent, model and source as one of each source, so that there are about `combinationsMax`. */
function withOthers(rows: readonly IntervalTally[], combinationsMax: number): IntervalTally[] {
  const keyOf = ({ agent, provider, model, source }: IntervalTally) =>
    JSON.stringify([agent, provider, model, source]);
  const costs = new Map<string, number>();
  for (const row of rows) costs.set(keyOf(row), (costs.get(keyOf(row)) ?? 0) + row.tally.costMicros);
  if (costs.size <= combinationsMax) return [...rows];
  const dearest = [...costs].sort(([, one], [, two]) => two - one).slice(0, combinationsMax - 1);
  const named = new Set(dearest.map(([key]) => key));
  const sums = new Map<string, IntervalTally>();
  return rows.flatMap((row) => {
    if (named.has(keyOf(row))) return [row];
    const { startsAt, source } = row;
    const key = `${startsAt.getTime()} ${source}`;
    const known = sums.get(key);
    const sum = known ?? { startsAt, agent: other, provider: other, model: other, source, tally: newTally() };
    addTally(sum.tally, row.tally);
    sums.set(key, sum);
    return known === undefined ? [sum] : [];
  });
}

/** Starts of all intervals from the first with calls to the last. */
function startsOf(rows: readonly IntervalTally[], { startOf, usualMs }: HistorySpan): string[] {
  const last = rows.at(-1)?.startsAt;
  const starts: string[] = [];
  let start = rows[0]?.startsAt;
  while (start !== undefined && last !== undefined && start <= last) {
    starts.push(start.toISOString());
    // The middle of the next one, which may begin an hour earlier or later.
    start = startOf(new Date(start.getTime() + 1.5 * usualMs));
  }
  return starts;
}

export function presentRecord(record: UsageRecord): CostRecord {
  return {
    agent_name: record.agent,
    session_id: record.sessionId,
    provider: record.provider,
    model: record.model,
    input_tokens: record.inputTokens,
    output_tokens: record.outputTokens,
    cached_tokens: record.cachedTokens,
    estimated: record.estimated,
    cost_usd: record.costMicros === null ? null : usdOfMicros(record.costMicros),
    latency_ms: record.latencyMs,
    pattern: record.pattern,
    source: record.source ?? usualSource,
    timestamp: record.at.toISOString(),
  };
}

/** Returns an agent's budget, or its cost so far if it has no budget. */
export function presentBudget(agent: string, state: BudgetState | undefined, costMicros: number): Budget {
  if (state === undefined) {
    return {
      agent,
      has_budget: false,
      budget: null,
      spent: usdOfMicros(costMicros),
      held: 0,
      remaining: null,
      exceeded: false,
      unpriced_calls: 0,
    };
  }
  const { budgetMicros, spentMicros, heldMicros, unpricedCalls, exceeded } = state;
  return {
    agent,
    has_budget: true,
    budget: usdOfMicros(budgetMicros),
    spent: usdOfMicros(spentMicros),
    held: usdOfMicros(heldMicros),
    remaining: usdOfMicros(Math.max(0, budgetMicros - spentMicros)),
    exceeded,
    unpriced_calls: unpricedCalls,
    ...(unpricedCalls === 0 ? {} : { warning: unpricedWarning(unpricedCalls) }),
  };
}

const unpricedWarning = (calls: number) =>
  `${calls} ${calls === 1 ? "call" : "calls"} used models without a price, which the budget can't limit. Set prices in providers.yaml or prices.yaml.`;
