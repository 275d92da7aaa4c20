import { and, sql } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";

/** Account of a tenant that sends. */
export interface Sending {
  tenantId: string;
  accountId: string;
}

/** Waiting messages of a tenant, by account. */
interface Waiting {
  readAtMs: number;
  all: number;
  byAccount: Map<string, number>;
}

/** Counts older than this are read again. */
const freshMs = 1_000;
/** Tenants whose counts are in memory; those of the least recent one are dropped. */
const tenantsMax = 1_000;
const retryAfterSeconds = 60;
/** Part of a tenant's messages that one account may have, so that there is always room for its others. */
const accountShare = 3 / 4;

/**
 * Bounds the messages of a tenant that wait to be sent; one account may have three quarters of them. Counting takes time that grows with the
 * messages, so this process counts each tenant once a second, and adds what it queues in between.
 */
export class OutboxRoom {
  readonly #clock: Clock;
  readonly #waitingMax: number;
  readonly #tenants = new LatestMap<string, Waiting>(tenantsMax);

  constructor(clock: Clock, waitingMax: number) {
    this.#clock = clock;
    this.#waitingMax = waitingMax;
  }

  /** Returns true if the tenant or the account has as many waiting messages as it may have. */
  async isFull(query: ReadQuery, tables: GatewayTables, sending: Sending): Promise<boolean> {
    return this.#fault(await this.#waitingOf(query, tables, sending.tenantId), sending) !== undefined;
  }

  /** Takes a place for a message that is queued now. Throws 503 `outbox_full`. */
  async take(query: ReadQuery, tables: GatewayTables, sending: Sending): Promise<void> {
    const waiting = await this.#waitingOf(query, tables, sending.tenantId);
    const fault = this.#fault(waiting, sending);
    if (fault !== undefined) throw fault;
    waiting.all++;
    waiting.byAccount.set(sending.accountId, (waiting.byAccount.get(sending.accountId) ?? 0) + 1);
  }

  #fault({ all, byAccount }: Waiting, { tenantId, accountId }: Sending): AppError | undefined {
    if (all >= this.#waitingMax) return full(`Tenant ${tenantId}`, all);
    const own = byAccount.get(accountId) ?? 0;
    return own >= Math.ceil(this.#waitingMax * accountShare) ? full(`Account ${accountId}`, own) : undefined;
  }

  async #waitingOf(query: ReadQuery, tables: GatewayTables, tenantId: string): Promise<Waiting> {
    const nowMs = this.#clock.now().getTime();
    const known = this.#tenants.get(tenantId);
    if (known !== undefined && Math.abs(nowMs - known.readAtMs) < freshMs) return known;
    const rows = await countWaiting(query, tables).execute({ tenantId });
    const byAccount = new Map(rows.map(({ accountId, count }) => [accountId, count]));
    const all = rows.reduce((sum, { count }) => sum + count, 0);
    const waiting = { readAtMs: nowMs, all, byAccount };
    this.#tenants.set(tenantId, waiting);
    return waiting;
  }
}

const full = (whose: string, count: number) =>
  new AppError("unavailable", "outbox_full", `${whose} has ${count} messages that wait to be sent.`, {
    details: {
      hint: "Send again when some are sent; a paused account must be resumed first.",
      retryAfterSeconds,
    },
  });

const countWaiting = statement((query: ReadQuery, { outbox }: GatewayTables) =>
  query
    .select({ accountId: outbox.accountId, count: sql<number>`count(*)`.mapWith(Number) })
    .from(outbox)
    .where(and(sql`${outbox.tenantId} = ${sql.placeholder("tenantId")}`, sql`${outbox.lane} is not null`))
    .groupBy(outbox.accountId)
    .prepare("count_waiting_messages"),
);
