import { eq, sql } from "drizzle-orm";
import type { Clock } from "../../../kit/clock.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import { elsewhere, requireRoom } from "../../../storage/room.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";

/** What a tenant stores, and how much it may. */
export interface TenantUse {
  /** Bytes in all services. */
  stored: number;
  /** Bytes in the gateway itself. */
  own: number;
  /** Null: no limit. */
  limit: number | null;
}

/** Figures older than this are read again. */
const freshMs = 1_000;
/** Tenants whose figures are in memory. */
const tenantsMax = 1_000;
/** Part of a tenant's limit that other services can't take from its messages. */
export const ownShare = 1 / 4;

/**
 * Bounds what the gateway keeps for a tenant: with what it stores elsewhere, at most its plan's limit, as the platform told it last; a tenant
 * that no platform names has the operator's setting. This process reads each tenant's figures once a second.
 */
export class StorageRoom {
  readonly #storage: GatewayStorage;
  readonly #clock: Clock;
  readonly #otherwise: number;
  readonly #tenants = new LatestMap<string, TenantUse & { readAtMs: number }>(tenantsMax);

  /** `otherwise`: bytes of a tenant whose limit the platform didn't tell. */
  constructor(storage: GatewayStorage, clock: Clock, otherwise: number) {
    this.#storage = storage;
    this.#clock = clock;
    this.#otherwise = otherwise;
  }

  /** Throws 409 `storage_limit_reached` or 503 `disk_reserved` if the tenant may store no more. Reads by `query`, so it works in transactions. */
  async requireRoom(query: ReadQuery, tenantId: string): Promise<void> {
    const { stored, limit } = await this.#useOf(query, tenantId);
    if (!isFull({ stored, limit }) && !this.#storage.disk.isUsed()) return;
    await requireRoom({ ...this.#storage, read: query }, tenantId, () => limit);
  }

  /** True if the tenant may store no more: files are not downloaded for it. */
  async isFull(query: ReadQuery, tenantId: string): Promise<boolean> {
    return isFull(await this.#useOf(query, tenantId));
  }

  /** True if not even delivered events are stored: the tenant's messages take their share, and what is old was dropped. */
  async isShut(query: ReadQuery, tenantId: string): Promise<boolean> {
    const use = await this.#useOf(query, tenantId);
    return isFull(use) && use.own >= (use.limit ?? 0) * ownShare;
  }

  async #useOf(query: ReadQuery, tenantId: string): Promise<TenantUse> {
    const nowMs = this.#clock.now().getTime();
    const known = this.#tenants.get(tenantId);
    if (known !== undefined && Math.abs(nowMs - known.readAtMs) < freshMs) return known;
    const use = await tenantUse(query, this.#storage.tables, tenantId, this.#otherwise);
    this.#tenants.set(tenantId, { ...use, readAtMs: nowMs });
    return use;
  }
}

const isFull = ({ stored, limit }: Pick<TenantUse, "stored" | "limit">) => limit !== null && stored >= limit;

/** Reads what a tenant stores, and how much it may. */
export async function tenantUse(
  query: ReadQuery,
  tables: GatewayTables,
  tenantId: string,
  otherwise: number,
): Promise<TenantUse> {
  const [row] = await bytesOf(query, tables).execute({ tenantId });
  const [told] = await limitOf(query, tables).execute({ tenantId });
  return {
    stored: row?.stored ?? 0,
    own: row?.own ?? 0,
    limit: told === undefined ? otherwise : told.bytes,
  };
}

const bytesOf = statement((query: ReadQuery, { storedBytes }: GatewayTables) =>
  query
    .select(useColumns(storedBytes))
    .from(storedBytes)
    .where(equalsBound(storedBytes.ownerId, "tenantId"))
    .prepare("tenant_bytes"),
);

/** The two sums of a tenant's bytes. */
export const useColumns = ({ area, bytes }: GatewayTables["storedBytes"]) => ({
  stored: sql<number>`coalesce(sum(${bytes}), 0)`.mapWith(Number),
  own: sql<number>`coalesce(sum(case when ${area} = '${sql.raw(elsewhere)}' then 0 else ${bytes} end), 0)`.mapWith(
    Number,
  ),
});

const limitOf = statement((query: ReadQuery, { storageLimits }: GatewayTables) =>
  query
    .select({ bytes: storageLimits.bytes })
    .from(storageLimits)
    .where(equalsBound(storageLimits.tenantId, "tenantId"))
    .prepare("tenant_storage_limit"),
);

/** Keeps how much tenants may store. */
export async function tellLimits(
  storage: GatewayStorage,
  limits: readonly { tenantId: string; bytes: number | null }[],
): Promise<void> {
  const { storageLimits } = storage.tables;
  if (limits.length === 0) return;
  await storage.transact(async (tx) => {
    for (const { tenantId, bytes } of limits) {
      const [known] = await tx.select().from(storageLimits).where(eq(storageLimits.tenantId, tenantId));
      if (known !== undefined && known.bytes === bytes) continue;
      await tx
        .insert(storageLimits)
        .values({ tenantId, bytes })
        .onConflictDoUpdate({ target: storageLimits.tenantId, set: { bytes } });
    }
  });
}
