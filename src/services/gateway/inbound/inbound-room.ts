import { inArray, sql } from "drizzle-orm";
import { countOpen, openStates } from "../../../channels/inbox/inbound-depth.ts";
import type { InboxRoom } from "../../../channels/inbox/keep-events.ts";
import type { KnownOwners } from "../../../kit/concurrency/known-owners.ts";
import { roomBeside } from "../../../kit/concurrency/owner-places.ts";
import { jsonRows } from "../../../storage/json-rows.ts";
import { statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";

/** Events that one owner may have for each that remains free: three quarters of the queue, so that there is always room for the others. */
const placesPerFree = 3;

/** Owners whose events are counted in memory. */
const ownersMax = 1_000;

/**
 * Bounds the open events, by the persons behind the tenants. Counting takes time that grows with them. On SQLite there is one process only, so
 * it counts again only when the room that it found last is used up: the events that it adds make it smaller, and closed ones only
 * larger. Events whose closing was counted and then rolled back may exceed the bound.
 */
export class InboundRoom implements InboxRoom {
  readonly openMax: number;
  readonly #tables: GatewayTables;
  readonly #isAlone: boolean;
  readonly #owners: KnownOwners;
  /** Free places that there are at least, and the events that each owner has at most. */
  #free = 0;
  readonly #ownBy = new Map<string, number>();

  /** `openMax`: open events of all tenants. */
  constructor(
    { dialect, tables }: Pick<GatewayStorage, "dialect" | "tables">,
    openMax: number,
    owners: KnownOwners,
  ) {
    this.openMax = openMax;
    this.#tables = tables;
    this.#isAlone = dialect === "sqlite";
    this.#owners = owners;
  }

  /** Room for one owner's events at which deliveries that come at the same time can't fill the queue together. */
  isAmple(open: number, ample: number): boolean {
    return open + ample <= (this.openMax * placesPerFree) / (placesPerFree + 1);
  }

  /** Takes places for events of a tenant that are added in `tx`. Returns how many of the wanted ones it may add. */
  async take(tx: Query, tenantId: string, wanted: number): Promise<number> {
    const owner = this.#owners.of(tenantId);
    const known = this.#isAlone ? this.#ownBy.get(owner) : undefined;
    if (known === undefined || roomBeside(known, this.#free, placesPerFree) < wanted) {
      await this.#count(tx, owner);
    }
    const own = this.#ownBy.get(owner) ?? 0;
    const taken = Math.min(wanted, roomBeside(own, this.#free, placesPerFree));
    this.#free -= taken;
    this.#ownBy.set(owner, own + taken);
    return taken;
  }

  async #count(tx: Query, owner: string): Promise<void> {
    if (this.#ownBy.size >= ownersMax) this.#ownBy.clear();
    const tenants = JSON.stringify(this.#owners.tenantsOf(owner));
    const all = await countOpen(tx, this.#tables);
    const [own] = await openOfTenants(tx, this.#tables).execute({ tenants });
    this.#free = Math.max(0, this.openMax - all);
    this.#ownBy.set(owner, own?.count ?? 0);
  }
}

const count = sql<number>`count(*)`.mapWith(Number);

const openOfTenants = statement((tx: Query, { inbound, accounts }: GatewayTables) => {
  const tenants = jsonRows(inbound, "tenants");
  const own = sql`select ${accounts.id} from ${accounts} where ${accounts.tenantId} in (select ${tenants.self} from ${tenants.from})`;
  return tx
    .select({ count })
    .from(inbound)
    .where(sql`${inbound.accountId} in (${own}) and ${inArray(inbound.state, [...openStates])}`)
    .prepare("count_open_events_of_tenants");
});
