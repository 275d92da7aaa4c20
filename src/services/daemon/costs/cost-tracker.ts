import { type RunSource, usualSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { UsageRecord, UsageSink } from "../../../engine/spending/usage-record.ts";
import { RecordRing } from "./record-ring.ts";
import { addCall, newTally, type Tally } from "./tally.ts";
import type { UsageScope } from "./usage-store.ts";

/** Total of one agent's calls of one model. */
export interface ModelTally {
  agent: string;
  provider: string;
  model: string;
  source: RunSource;
  tally: Tally;
}

/** Like `ModelTally`, within one interval of time. */
export interface IntervalTally extends ModelTally {
  startsAt: Date;
}

export interface UsageQuery extends UsageScope {
  since?: Date;
}

/** Rows found, and the instant from which they are complete. */
export interface Counted<T> {
  rows: T[];
  from: Date;
}

/** Maximum number of single records, about 350 bytes each. Totals include all calls. */
const recordsMax = 50_000;
/** Callers choose model names, so their number per agent is limited. Further models are added up as `other`. */
const modelsPerAgentMax = 256;
const other = "other";

/** Totals of an agent's models, also by source, provider and model: a run finds them without making a key. */
interface AgentTotals {
  all: ModelTally[];
  bySource: Map<RunSource, Map<string, Map<string, ModelTally>>>;
}

type CallKey = "tenant" | "agent" | "provider" | "model" | "source";

/**
 * Counts usage and cost of model calls in memory: totals of all calls since the start, and the latest calls one by one. Every query is for
 * one tenant.
 */
export class CostTracker implements UsageSink {
  readonly #startedAt: Date;
  readonly #records: RecordRing;
  /** By tenant and agent. */
  readonly #totals = new Map<string, Map<string, AgentTotals>>();

  constructor(startedAt: Date, capacity = recordsMax) {
    this.#startedAt = startedAt;
    this.#records = new RecordRing(capacity);
  }

  record(records: readonly UsageRecord[]): void {
    for (const record of records) {
      this.#records.push(record);
      addCall(this.#totalOf(record).tally, record);
    }
  }

  /**
   * Names that a recorded call is counted under: its own, or `other` if the agent has called too many models. Calls of a tenant that are
   * counted under the same names get the same object.
   */
  countedAs(call: Pick<UsageRecord, CallKey>): Pick<ModelTally, "provider" | "model" | "source"> {
    return this.#totalOf(call);
  }

  /** Returns true if the agent has called a model since the start. */
  knows(tenant: string, agent: string): boolean {
    return this.#totals.get(tenant)?.has(agent) === true;
  }

  /** Cost of an agent's own calls since the start, in micros of USD. */
  costMicrosOf(tenant: string, agent: string): number {
    const models = this.#totals.get(tenant)?.get(agent)?.all ?? [];
    return models.reduce((sum, { tally }) => sum + tally.costMicros, 0);
  }

  /** Totals by agent and model, for all calls, or since an instant as far back as single records reach. */
  totals(tenant: string, { agent, sources, since }: UsageQuery): Counted<ModelTally> {
    if (since === undefined || since <= this.#startedAt) {
      const agents = this.#totals.get(tenant) ?? new Map<string, AgentTotals>();
      const rows = [...agents].filter(([name]) => agent === undefined || name === agent);
      const isOf = ({ source }: ModelTally) => sources === undefined || sources.includes(source);
      return { rows: rows.flatMap(([, { all }]) => all.filter(isOf)), from: this.#startedAt };
    }
    const rows = new Map<string, ModelTally>();
    for (const record of this.#matching(tenant, { agent, sources, since })) {
      const { provider, model, source = usualSource } = record;
      const key = JSON.stringify([record.agent, provider, model, source]);
      const row = rows.get(key) ?? { agent: record.agent, provider, model, source, tally: newTally() };
      rows.set(key, row);
      addCall(row.tally, record);
    }
    return { rows: [...rows.values()], from: this.#completeFrom(since) };
  }

  /** Totals by agent, model and interval, oldest first. Intervals start at multiples of their length in UTC. */
  intervals(tenant: string, query: UsageQuery & { since: Date; intervalMs: number }): Counted<IntervalTally> {
    const rows = new Map<string, IntervalTally>();
    for (const record of this.#matching(tenant, query)) {
      const { agent, provider, model, source = usualSource } = record;
      const startMs = Math.floor(record.at.getTime() / query.intervalMs) * query.intervalMs;
      const key = JSON.stringify([startMs, agent, provider, model, source]);
      const startsAt = new Date(startMs);
      const row = rows.get(key) ?? { startsAt, agent, provider, model, source, tally: newTally() };
      rows.set(key, row);
      addCall(row.tally, record);
    }
    const sorted = [...rows.values()].sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
    return { rows: sorted, from: this.#completeFrom(query.since) };
  }

  /** Latest calls, newest first. */
  latest(tenant: string, { limit, ...query }: UsageQuery & { limit: number }): UsageRecord[] {
    const records: UsageRecord[] = [];
    if (limit < 1) return records;
    for (const record of this.#matching(tenant, query)) {
      if (record.corrects) continue;
      records.push(record);
      if (records.length === limit) break;
    }
    return records;
  }

  *#matching(tenant: string, { agent, sources, since }: UsageQuery): Generator<UsageRecord, void> {
    for (const record of this.#records.newestFirst()) {
      // The clock may have been set back, so the instants may be out of order.
      if (since !== undefined && record.at < since) continue;
      if (sources !== undefined && !sources.includes(record.source ?? usualSource)) continue;
      if (record.tenant === tenant && (agent === undefined || record.agent === agent)) yield record;
    }
  }

  #completeFrom(since: Date): Date {
    const begin = this.#records.droppedUntil ?? this.#startedAt;
    return since > begin ? since : begin;
  }

  #totalOf({ tenant, agent, provider, model, source = usualSource }: Pick<UsageRecord, CallKey>): ModelTally {
    const known = this.#totals.get(tenant)?.get(agent)?.bySource.get(source)?.get(provider)?.get(model);
    if (known !== undefined) return known;
    const agents = entryOf(this.#totals, tenant, () => new Map());
    const { all, bySource } = entryOf(agents, agent, () => ({ all: [], bySource: new Map() }));
    const byProvider = entryOf(bySource, source, () => new Map<string, Map<string, ModelTally>>());
    if (all.length >= modelsPerAgentMax && model !== other) {
      return this.#totalOf({ tenant, agent, provider: other, model: other, source });
    }
    const total = { agent, provider, model, source, tally: newTally() };
    all.push(total);
    entryOf(byProvider, provider, () => new Map<string, ModelTally>()).set(model, total);
    return total;
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}
