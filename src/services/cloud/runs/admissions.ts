import { and, eq, lte, sql } from "drizzle-orm";
import { endOfTurn } from "../../../kit/concurrency/others-turn.ts";
import { dayOf } from "../../../kit/utc-calendar.ts";
import { statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { OrgActor } from "../access/credentials.ts";
import type { CloudStoreDeps, CloudTables } from "../tables.ts";
import { type DailyAdmission, limitReached, nextMidnight } from "./daily-limit.ts";

/** Runs admitted in one transaction. */
const togetherMax = 256;

interface Waiting {
  agent: string;
  admitted: (requests: number | undefined) => void;
  failed: (thrown: unknown) => void;
}

/** Runs of one org, day and limit that wait for their admission. */
interface Line {
  orgId: string;
  day: string;
  limit: number;
  waiting: Waiting[];
}

/**
 * Admits runs up to their org's limit of the UTC day. Runs that arrive while others of the org are being admitted are admitted together in
 * the next transaction: the org has one counter, so they would only wait for each other. The counter's row is locked by its own update, so
 * all processes of a database together never admit more than the limit.
 */
export class Admissions {
  readonly #deps: Pick<CloudStoreDeps, "storage" | "clock">;
  readonly #lines = new Map<string, Line>();

  constructor(deps: Pick<CloudStoreDeps, "storage" | "clock">) {
    this.#deps = deps;
  }

  /** Counts a run and admits it, or throws 429 `daily_limit_reached`. */
  async admit({ org, limits }: Pick<OrgActor, "org" | "limits">, agent: string): Promise<DailyAdmission> {
    const now = this.#deps.clock.now();
    const [orgId, day, limit] = [org.id, dayOf(now), limits.requests_per_day];
    const requests = await new Promise<number | undefined>((admitted, failed) =>
      this.#enter({ orgId, day, limit }, { agent, admitted, failed }),
    );
    if (requests === undefined) throw limitReached(limit, now);
    return { orgId, day, agent, limit, requests, resetAt: nextMidnight(now) };
  }

  #enter(place: Omit<Line, "waiting">, run: Waiting): void {
    const key = JSON.stringify([place.orgId, place.day, place.limit]);
    const line = this.#lines.get(key);
    if (line !== undefined) {
      line.waiting.push(run);
      return;
    }
    const opened = { ...place, waiting: [run] };
    this.#lines.set(key, opened);
    void this.#serve(key, opened);
  }

  async #serve(key: string, line: Line): Promise<void> {
    while (line.waiting.length > 0) {
      // Requests of this turn of the event loop join: the disk's confirmation costs more than the rest of an admission.
      await endOfTurn();
      const runs = line.waiting.splice(0, togetherMax);
      try {
        const { from, granted } = await this.#count(line, runs);
        for (const [index, { admitted }] of runs.entries())
          admitted(index < granted ? from + index + 1 : undefined);
      } catch (thrown) {
        for (const { failed } of runs) failed(thrown);
      }
    }
    this.#lines.delete(key);
  }

  /** Counts as many runs as the limit allows. Returns how many, and the number of runs before them. */
  async #count(
    { orgId, day, limit }: Line,
    runs: readonly Waiting[],
  ): Promise<{ from: number; granted: number }> {
    const { storage } = this.#deps;
    const { tables } = storage;
    if (limit < 1) return { from: 0, granted: 0 };
    return storage.transact(
      async (tx) => {
        let granted = Math.min(runs.length, limit);
        const count = () => counting(tx, tables).execute({ orgId, day, by: granted, most: limit - granted });
        let [counted] = await count();
        if (counted === undefined) {
          // Not all of them fit. The try has locked the row, so the rest of the limit is known.
          const [row] = await today(tx, tables).execute({ orgId, day });
          granted = Math.max(0, limit - (row?.requests ?? 0));
          if (granted === 0) return { from: limit, granted };
          [counted] = await count();
        }
        const byAgent = new Map<string, number>();
        for (const { agent } of runs.slice(0, granted)) byAgent.set(agent, (byAgent.get(agent) ?? 0) + 1);
        // In the same order in every process, so that they wait for each other without a deadlock.
        for (const [agent, by] of [...byAgent].sort(([one], [other]) => (one < other ? -1 : 1)))
          await agentCounting(tx, tables).execute({ orgId, day, agent, by });
        return { from: (counted?.requests ?? granted) - granted, granted };
      },
      { isolation: "read committed" },
    );
  }
}

const counting = statement((tx: Query, { dailyCounters: counters }: CloudTables) =>
  tx
    .insert(counters)
    .values({
      orgId: sql.placeholder("orgId"),
      day: sql.placeholder("day"),
      requests: sql.placeholder("by"),
    })
    .onConflictDoUpdate({
      target: [counters.orgId, counters.day],
      set: { requests: sql`${counters.requests} + excluded.requests` },
      setWhere: lte(counters.requests, sql.placeholder("most")),
    })
    .returning({ requests: counters.requests })
    .prepare("cloud_count_runs"),
);

const today = statement((tx: Query, { dailyCounters: counters }: CloudTables) =>
  tx
    .select({ requests: counters.requests })
    .from(counters)
    .where(and(eq(counters.orgId, sql.placeholder("orgId")), eq(counters.day, sql.placeholder("day"))))
    .prepare("cloud_counted_runs"),
);

const agentCounting = statement((tx: Query, { agentUsage }: CloudTables) =>
  tx
    .insert(agentUsage)
    .values({
      orgId: sql.placeholder("orgId"),
      day: sql.placeholder("day"),
      agent: sql.placeholder("agent"),
      requests: sql.placeholder("by"),
      tokens: 0,
    })
    .onConflictDoUpdate({
      target: [agentUsage.orgId, agentUsage.day, agentUsage.agent],
      set: { requests: sql`${agentUsage.requests} + excluded.requests` },
    })
    .prepare("cloud_count_agent_runs"),
);
