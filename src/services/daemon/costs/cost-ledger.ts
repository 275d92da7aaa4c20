import { usualSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { UsageRecord, UsageSink } from "../../../engine/spending/usage-record.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Storage } from "../../../storage/storage.ts";
import {
  CostTracker,
  type Counted,
  type IntervalTally,
  type ModelTally,
  type UsageQuery,
} from "./cost-tracker.ts";
import type { CostTables } from "./schema.ts";
import { addCall, addTally, newTally, type Tally } from "./tally.ts";
import {
  addUsage,
  allTime,
  dropOldRecords,
  firstHour,
  type RecordRow,
  readHours,
  readRecords,
  readTotals,
  sumHours,
  type TallyRow,
} from "./usage-store.ts";

interface Ports {
  storage: Storage<CostTables>;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

const hourMs = 3_600_000;
/** Calls are stored together this long after the first of them: a commit for each run would cost more than the run's own. */
const flushAfterMs = 50;
/** Number of single calls kept, and how many more may accumulate before the oldest are deleted. */
const recordsKept = 10_000;
const pruneEvery = 1000;

type Tallies = Map<number, Map<ReturnType<CostTracker["countedAs"]>, TallyRow>>;

/**
 * Usage and cost of model calls, stored so that a restart loses nothing. Calls are written together, 50 ms after their run has ended; reads
 * write pending calls first. A crash loses at most those of the last 50 ms.
 */
export class CostLedger implements UsageSink {
  readonly #ports: Ports;
  readonly #startedAt: Date;
  /** Calls of this process. Used for exact instants within an hour, and for the names that an agent's models are counted under. */
  readonly #recent: CostTracker;
  /** Unwritten tallies by their start and the names that they are counted under. */
  #tallies: Tallies = new Map();
  #records: RecordRow[] = [];
  #writing: Promise<void> | undefined;
  #sincePruned = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#startedAt = ports.clock.now();
    this.#recent = new CostTracker(this.#startedAt);
  }

  record(records: readonly UsageRecord[]): void {
    this.#recent.record(records);
    for (const record of records) {
      const { tenant, agent, at } = record;
      if (!record.corrects)
        this.#records.push({
          id: this.#ports.newId(),
          tenant,
          agent,
          at,
          source: record.source ?? usualSource,
          record: storedRecord(record),
        });
      addCall(this.#tallyOf(record, 0), record);
      addCall(this.#tallyOf(record, Math.floor(at.getTime() / hourMs) * hourMs), record);
    }
    this.#cancelTimer ??= this.#ports.clock.timer(flushAfterMs, () => void this.flush().catch(() => {}));
  }

  /** Resolves when all recorded calls are stored. Rejects if they can't be written now, and keeps them. */
  async flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#writing !== undefined || this.#tallies.size > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  /** Returns true if the agent has ever called a model. */
  async knows(tenant: string, agent: string): Promise<boolean> {
    await this.#written();
    return (await readTotals(this.#ports.storage, tenant, { agent })).length > 0;
  }

  /** Cost of an agent's own calls, in micros of USD. */
  async costMicrosOf(tenant: string, agent: string): Promise<number> {
    await this.#written();
    const rows = await readTotals(this.#ports.storage, tenant, { agent });
    return rows.reduce((sum, { costMicros }) => sum + costMicros, 0);
  }

  /** Totals by agent and model, for all calls or those since an instant. Times before this process started are rounded to whole hours. */
  async totals(tenant: string, { since, ...scope }: UsageQuery): Promise<Counted<ModelTally>> {
    await this.#written();
    const { storage } = this.#ports;
    if (since === undefined) {
      const rows = await readTotals(storage, tenant, scope);
      return { rows: rows.map(modelTally), from: await this.#from(tenant) };
    }
    if (storage.dialect === "sqlite" && since > this.#startedAt) {
      const recent = this.#recent.totals(tenant, { ...scope, since });
      if (recent.from <= since) return recent;
    }
    const from = new Date(Math.floor(since.getTime() / hourMs) * hourMs);
    const sums = sumHours(storage, tenant, { ...scope, since: from });
    return { rows: await addedUp(sums, () => allTime), from: await this.#from(tenant, from) };
  }

  /** Totals by agent, model and interval of whole hours, oldest first. `startOf` returns the start of the interval that has an instant. */
  async intervals(
    tenant: string,
    { since, startOf, ...scope }: UsageQuery & { since: Date; startOf: (at: Date) => Date },
  ): Promise<Counted<IntervalTally>> {
    await this.#written();
    const rows = await addedUp(readHours(this.#ports.storage, tenant, { ...scope, since }), startOf);
    return { rows, from: await this.#from(tenant, since) };
  }

  /** Latest calls, newest first. */
  async latest(tenant: string, query: UsageQuery & { limit: number }): Promise<UsageRecord[]> {
    if (query.limit < 1) return [];
    await this.#written();
    return readRecords(this.#ports.storage, tenant, query);
  }

  /** Start of the count: the first hour with calls, of any process, or else the start of this one; `since` if later. */
  async #from(tenant: string, since: Date = allTime): Promise<Date> {
    const first = await firstHour(this.#ports.storage, tenant);
    const begin = first !== undefined && first < this.#startedAt ? first : this.#startedAt;
    return since > begin ? since : begin;
  }

  /** Waits for pending writes. If they fail, reads return what is stored so far. */
  async #written(): Promise<void> {
    await this.flush().catch(() => {});
  }

  async #write(): Promise<void> {
    const [tallies, records] = [this.#tallies, this.#records];
    this.#tallies = new Map();
    this.#records = [];
    const { storage, log } = this.#ports;
    try {
      await addUsage(storage, rowsOf(tallies), records);
    } catch (thrown) {
      log.error("costs.unwritten", { err: thrown, calls: records.length });
      this.#takeBack(tallies, records);
      throw thrown;
    }
    this.#sincePruned += records.length;
    if (this.#sincePruned < pruneEvery) return;
    this.#sincePruned = 0;
    await dropOldRecords(storage, recordsKept).catch((err) => log.warn("costs.unpruned", { err }));
  }

  #takeBack(tallies: Tallies, records: RecordRow[]): void {
    for (const row of rowsOf(tallies)) addTally(this.#tallyOf(row, row.startsAt.getTime()), row);
    this.#records = [...records, ...this.#records].slice(-recordsKept);
  }

  #tallyOf(
    call: Pick<UsageRecord, "tenant" | "agent" | "provider" | "model" | "source">,
    startMs: number,
  ): TallyRow {
    const counted = this.#recent.countedAs(call);
    let rows = this.#tallies.get(startMs);
    if (rows === undefined) {
      rows = new Map();
      this.#tallies.set(startMs, rows);
    }
    const known = rows.get(counted);
    if (known !== undefined) return known;
    const { tenant, agent } = call;
    const { provider, model, source } = counted;
    const row = { tenant, startsAt: new Date(startMs), agent, provider, model, source, ...newTally() };
    rows.set(counted, row);
    return row;
  }
}

/** The record without its instant, which is a column. */
function storedRecord(call: UsageRecord): RecordRow["record"] {
  const { tenant, agent, sessionId, provider, model, role, inputTokens, outputTokens, writtenTokens } = call;
  const { cachedTokens, estimated, costMicros, latencyMs, pattern } = call;
  // Names, because a copy of the rest would take longer than all of them.
  const stored: RecordRow["record"] = {
    tenant,
    agent,
    sessionId,
    pattern,
    inputTokens,
    outputTokens,
    cachedTokens,
    estimated,
    provider,
    model,
    costMicros,
    latencyMs,
  };
  if (role !== undefined) stored.role = role;
  if (writtenTokens !== undefined) stored.writtenTokens = writtenTokens;
  return stored;
}

const rowsOf = (tallies: Tallies) => [...tallies.values()].flatMap((rows) => [...rows.values()]);

function modelTally({ tenant: _, startsAt: __, ...row }: TallyRow): ModelTally {
  const { agent, provider, model, source, ...tally } = row;
  return { agent, provider, model, source, tally };
}

/** Adds up rows with the same agent, model, source and start. They are in order of start, and so is the result. */
async function addedUp(
  parts: AsyncIterable<readonly TallyRow[]>,
  startOf: (at: Date) => Date,
): Promise<IntervalTally[]> {
  const all: IntervalTally[] = [];
  let [hourMs, startsAt] = [Number.NaN, allTime];
  let ofStart = new Map<string, Tally>();
  for await (const rows of parts) {
    for (const row of rows) {
      if (row.startsAt.getTime() !== hourMs) {
        hourMs = row.startsAt.getTime();
        const start = startOf(row.startsAt);
        if (start.getTime() !== startsAt.getTime()) ofStart = new Map();
        startsAt = start;
      }
      // Names of sources, agents and providers contain no line break.
      const key = `${row.source}\n${row.agent}\n${row.provider}\n${row.model}`;
      const known = ofStart.get(key);
      if (known === undefined) {
        const counted = modelTally(row);
        ofStart.set(key, counted.tally);
        all.push({ startsAt, ...counted });
      } else addTally(known, row);
    }
  }
  return all;
}
