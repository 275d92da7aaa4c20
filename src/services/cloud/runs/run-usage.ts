import { sql } from "drizzle-orm";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { LateTokens, RuntimeUsage } from "../../../contracts/runtime/runs.ts";
import { canonicalProvider } from "../../../engine/models/providers/registry.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { CloudStorage, CloudTables } from "../tables.ts";

/** An agent's day that usage is added to. */
export interface AgentDay {
  orgId: string;
  /** The UTC day, as `YYYY-MM-DD`. */
  day: string;
  agent: string;
}

/**
 * Who caused usage: `key:` or `user:` and an id, `machine` for the machine's owner, `eval`, `test` for runs that are not counted, or `late`
 * for what runs used after their ends.
 */
export type UsageCaller = `key:${string}` | `user:${string}` | "machine" | "eval" | "test" | "late";

/** What one model used, of one run or of several. */
interface UsagePart {
  provider: string;
  model: string;
  /** Runs. One with several models counts at the first of them. */
  requests: number;
  /** Runs that used the model. */
  uses: number;
  tokens: number;
  /** Sum of the known costs, in micros of USD. */
  costMicros: number;
  /** Tokens whose cost is unknown. */
  unpricedTokens: number;
}

/** Usage is stored together this long after the first of it: a commit for each run would cost more than all its other steps here. */
const flushAfterMs = 50;
const againMs = 2_000;

export interface RunUsageDeps {
  storage: CloudStorage;
  clock: Clock;
  log: Logger;
  runtime: Pick<RuntimeClient, "takeLateUsage">;
}

type CostRow = AgentDay & { caller: string } & UsagePart;
type TokenRow = AgentDay & { tokens: number };

/**
 * Tokens and costs of runs, written together 50 ms after the first of them. A report of this process writes what is pending first. A crash
 * loses at most that of the last 50 ms; the runs themselves are counted when they are admitted.
 */
export class RunUsage {
  readonly #deps: RunUsageDeps;
  #tokens = new Map<string, TokenRow>();
  #costs = new Map<string, CostRow>();
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(deps: RunUsageDeps) {
    this.#deps = deps;
  }

  /** Adds the usage of a run in memory. */
  add(place: AgentDay, caller: UsageCaller, usage: readonly RuntimeUsage[]): void {
    this.#addParts(place, caller, partsOf(usage));
  }

  /** Adds what the runtime has used since the ends of earlier runs, for example for summaries. */
  async addLate(): Promise<void> {
    for (const row of await this.#deps.runtime.takeLateUsage()) {
      const { tenant_id: orgId, day, agent } = row;
      this.#addParts({ orgId, day, agent }, "late", [latePart(row)]);
    }
  }

  /** Resolves when all usage is stored. Rejects if it can't be written now, and tries again later. */
  async flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#writing !== undefined || this.#tokens.size > 0 || this.#costs.size > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  #addParts({ orgId, day, agent }: AgentDay, caller: UsageCaller, parts: readonly UsagePart[]): void {
    const place = { orgId, day, agent };
    for (const part of parts) {
      this.#addCosts({ ...place, caller, ...part });
      // Tests count towards no limit and no sum of tokens, but cost money.
      if (caller !== "test") this.#addTokens({ ...place, tokens: part.tokens });
    }
    if (parts.length > 0) this.#flushIn(flushAfterMs);
  }

  #addTokens(row: TokenRow): void {
    if (row.tokens === 0) return;
    const key = keyOf([row.orgId, row.day, row.agent]);
    const pending = this.#tokens.get(key);
    if (pending === undefined) this.#tokens.set(key, { ...row });
    else pending.tokens += row.tokens;
  }

  #addCosts(row: CostRow): void {
    const key = keyOf([row.orgId, row.day, row.agent, row.caller, row.provider, row.model]);
    const pending = this.#costs.get(key);
    if (pending === undefined) this.#costs.set(key, { ...row });
    else addPart(pending, row);
  }

  async #write(): Promise<void> {
    const { storage, log } = this.#deps;
    const { tables } = storage;
    const [tokens, costs] = [this.#tokens, this.#costs];
    [this.#tokens, this.#costs] = [new Map(), new Map()];
    try {
      await storage.transact(
        async (tx) => {
          for (const row of inOrder(tokens)) await addingTokens(tx, tables).execute({ ...row });
          for (const row of inOrder(costs)) await addingCosts(tx, tables).execute({ ...row });
        },
        { isolation: "read committed" },
      );
    } catch (err) {
      log.error("run.tokens_waiting", { agents: tokens.size, err });
      for (const row of tokens.values()) this.#addTokens(row);
      for (const row of costs.values()) this.#addCosts(row);
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

const keyOf = (parts: readonly string[]): string => JSON.stringify(parts);

/** In the same order in every process, so that they wait for each other without a deadlock. */
const inOrder = <Row>(rows: ReadonlyMap<string, Row>): Row[] =>
  [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);

/** Splits a run's usage by model. */
function partsOf(usage: readonly RuntimeUsage[]): UsagePart[] {
  const parts = new Map<string, UsagePart>();
  for (const { provider: name, model, tokens_in, tokens_out, cost_micros: cost } of usage) {
    const tokens = tokens_in + tokens_out;
    const provider = canonicalProvider(name);
    const isKnown = typeof cost === "number";
    const key = keyOf([provider, model]);
    const part = parts.get(key);
    const added = { tokens, costMicros: isKnown ? cost : 0, unpricedTokens: isKnown ? 0 : tokens };
    if (part === undefined)
      parts.set(key, { provider, model, requests: parts.size === 0 ? 1 : 0, uses: 1, ...added });
    else addPart(part, { ...part, ...added, requests: 0, uses: 0 });
  }
  return [...parts.values()];
}

const latePart = ({ provider, model, tokens, cost_micros, unpriced_tokens }: LateTokens): UsagePart => ({
  provider: provider === undefined ? "" : canonicalProvider(provider),
  model: model ?? "",
  requests: 0,
  uses: 0,
  tokens,
  costMicros: cost_micros ?? 0,
  unpricedTokens: unpriced_tokens ?? tokens,
});

function addPart(sum: UsagePart, part: UsagePart): void {
  sum.requests += part.requests;
  sum.uses += part.uses;
  sum.tokens += part.tokens;
  sum.costMicros += part.costMicros;
  sum.unpricedTokens += part.unpricedTokens;
}

const addingTokens = statement((tx: Query, { agentUsage }: CloudTables) =>
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

const addingCosts = statement((tx: Query, { usageCosts: costs }: CloudTables) => {
  const { placeholder } = sql;
  return tx
    .insert(costs)
    .values({
      orgId: placeholder("orgId"),
      day: placeholder("day"),
      agent: placeholder("agent"),
      caller: placeholder("caller"),
      provider: placeholder("provider"),
      model: placeholder("model"),
      requests: placeholder("requests"),
      uses: placeholder("uses"),
      tokens: placeholder("tokens"),
      costMicros: placeholder("costMicros"),
      unpricedTokens: placeholder("unpricedTokens"),
    })
    .onConflictDoUpdate({
      target: [costs.orgId, costs.day, costs.agent, costs.caller, costs.provider, costs.model],
      set: {
        requests: sql`${costs.requests} + excluded.requests`,
        uses: sql`${costs.uses} + excluded.uses`,
        tokens: sql`${costs.tokens} + excluded.tokens`,
        costMicros: sql`${costs.costMicros} + excluded.cost_micros`,
        unpricedTokens: sql`${costs.unpricedTokens} + excluded.unpriced_tokens`,
      },
    })
    .prepare("cloud_add_costs");
});
