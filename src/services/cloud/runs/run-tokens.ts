import { sql } from "drizzle-orm";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { CloudStorage, CloudTables } from "../tables.ts";

/** An agent's day that tokens are added to. */
export interface AgentDay {
  orgId: string;
  /** The UTC day, as `YYYY-MM-DD`. */
  day: string;
  agent: string;
}

/** Tokens are stored together this long after the first of them: a commit for each run would cost more than all its other steps here. */
const flushAfterMs = 50;
const againMs = 2_000;

export interface RunTokensDeps {
  storage: CloudStorage;
  clock: Clock;
  log: Logger;
  runtime: Pick<RuntimeClient, "takeLateUsage">;
}

/**
 * Tokens of runs, written together 50 ms after the first of them. A report of this process writes pending tokens first. A crash loses at most
 * those of the last 50 ms; the runs themselves are counted when they are admitted.
 */
export class RunTokens {
  readonly #deps: RunTokensDeps;
  #pending = new Map<string, AgentDay & { tokens: number }>();
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(deps: RunTokensDeps) {
    this.#deps = deps;
  }

  /** Adds tokens in memory. */
  add({ orgId, day, agent }: AgentDay, tokens: number): void {
    if (tokens === 0) return;
    const key = JSON.stringify([orgId, day, agent]);
    const pending = this.#pending.get(key);
    if (pending !== undefined) pending.tokens += tokens;
    else this.#pending.set(key, { orgId, day, agent, tokens });
    this.#flushIn(flushAfterMs);
  }

  /** Adds what the runtime has used since the ends of earlier runs, for example for summaries. */
  async addLate(): Promise<void> {
    for (const { tenant_id, agent, day, tokens } of await this.#deps.runtime.takeLateUsage())
      this.add({ orgId: tenant_id, day, agent }, tokens);
  }

  /** Resolves when all tokens are stored. Rejects if they can't be written now, and tries again later. */
  async flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#writing !== undefined || this.#pending.size > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  async #write(): Promise<void> {
    const { storage, log } = this.#deps;
    const rows = this.#pending;
    this.#pending = new Map();
    // In the same order in every process, so that they wait for each other without a deadlock.
    const ordered = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
    try {
      await storage.transact(
        async (tx) => {
          for (const [, row] of ordered) await adding(tx, storage.tables).execute({ ...row });
        },
        { isolation: "read committed" },
      );
    } catch (err) {
      log.error("run.tokens_waiting", { agents: rows.size, err });
      for (const { tokens, ...day } of rows.values()) this.add(day, tokens);
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
      this.#flushIn(againMs);
      throw err;
    }
  }

  #flushIn(ms: number): void {
    this.#cancelTimer ??= this.#deps.clock.timer(ms, () => void this.flush().catch(() => {}));
  }
}

const adding = statement((tx: Query, { agentUsage }: CloudTables) =>
  tx
    .insert(agentUsage)
    .values({
      orgId: sql.placeholder("orgId"),
      day: sql.placeholder("day"),
      agent: sql.placeholder("agent"),
      requests: 0,
      tokens: sql.placeholder("tokens"),
    })
    .onConflictDoUpdate({
      target: [agentUsage.orgId, agentUsage.day, agentUsage.agent],
      set: { tokens: sql`${agentUsage.tokens} + excluded.tokens` },
    })
    .prepare("cloud_add_tokens"),
);
