import { inArray, sql } from "drizzle-orm";
import { statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";

/** One account may fill three quarters of the queue, so that there is always room for the others. */
export const shareOf = (max: number): number => Math.ceil((max * 3) / 4);

/** Accounts whose room is in memory. */
const accountsMax = 1_000;

/**
 * Bounds the open events. Counting takes time that grows with them. On SQLite there is one process only, so it counts again only when the
 * room that it found last is used up: the events that it adds make it smaller, and closed ones only larger. Events whose closing was counted
 * and then rolled back may exceed the bound.
 */
export class InboundRoom {
  readonly openMax: number;
  readonly #isAlone: boolean;
  /** Room that there is at least, of all accounts and of each. */
  #left = 0;
  readonly #leftByAccount = new Map<string, number>();

  /** `openMax`: open events of all accounts. */
  constructor({ dialect }: Pick<GatewayStorage, "dialect">, openMax: number) {
    this.openMax = openMax;
    this.#isAlone = dialect === "sqlite";
  }

  /** Takes places for events of an account that are added in `tx`. Returns how many of the wanted ones it may add. */
  async take(tx: Query, tables: GatewayTables, accountId: string, wanted: number): Promise<number> {
    const known = { all: this.#left, own: this.#leftByAccount.get(accountId) ?? 0 };
    const isKnown = this.#isAlone && Math.min(known.all, known.own) >= wanted;
    const { all, own } = isKnown ? known : await this.#count(tx, tables, accountId);
    const taken = Math.max(0, Math.min(wanted, all, own));
    // Beside other processes, each transaction goes by its own count.
    if (this.#isAlone) this.#remember(accountId, { all: all - taken, own: own - taken });
    return taken;
  }

  #remember(accountId: string, { all, own }: Room): void {
    if (this.#leftByAccount.size >= accountsMax) this.#leftByAccount.clear();
    this.#left = all;
    this.#leftByAccount.set(accountId, own);
  }

  async #count(tx: Query, tables: GatewayTables, accountId: string): Promise<Room> {
    const all = await countOpen(tx, tables);
    const [ofAccount] = await openOfAccount(tx, tables).execute({ accountId });
    return { all: this.openMax - all, own: shareOf(this.openMax) - (ofAccount?.count ?? 0) };
  }
}

interface Room {
  all: number;
  own: number;
}

/** Counts the open events of all accounts. */
export async function countOpen(tx: Query, tables: GatewayTables): Promise<number> {
  const [row] = await openOfAll(tx, tables).execute();
  return row?.count ?? 0;
}

const openStates = ["waiting", "working"] as const;
const count = sql<number>`count(*)`.mapWith(Number);

const openOfAll = statement((tx: Query, { inbound }: GatewayTables) =>
  tx
    .select({ count })
    .from(inbound)
    .where(inArray(inbound.state, [...openStates]))
    .prepare("count_open_events"),
);

const openOfAccount = statement((tx: Query, { inbound }: GatewayTables) =>
  tx
    .select({ count })
    .from(inbound)
    .where(
      sql`${inbound.accountId} = ${sql.placeholder("accountId")} and ${inArray(inbound.state, [...openStates])}`,
    )
    .prepare("count_open_events_of_account"),
);
