import { and, desc, eq, ne, sql } from "drizzle-orm";
import { AppError } from "../kit/app-error.ts";
import { equalsBound, statement } from "./statement.ts";
import type { ReadQuery, Storage } from "./storage.ts";
import type { StoredBytesTables } from "./tables/counted-bytes.ts";

export type RoomStorage = Storage<StoredBytesTables>;

/** What an owner stores of one kind. */
export interface StoredArea {
  area: string;
  bytes: number;
}

/** What an owner stores, the most first. */
export async function storedAreas({ read, tables }: RoomStorage, ownerId: string): Promise<StoredArea[]> {
  const { storedBytes } = tables;
  const { area } = storedBytes;
  const bytes = sumOf(storedBytes);
  return read
    .select({ area, bytes })
    .from(storedBytes)
    .where(eq(storedBytes.ownerId, ownerId))
    .groupBy(area)
    .having(sql`${bytes} > 0`)
    .orderBy(desc(bytes), area);
}

const sumOf = ({ bytes }: StoredBytesTables["storedBytes"]) =>
  sql<number>`coalesce(sum(${bytes}), 0)`.mapWith(Number);

/** Prepared, because it precedes every run. */
const storedSum = statement((query: ReadQuery, { storedBytes }: StoredBytesTables) =>
  query
    .select({ bytes: sumOf(storedBytes) })
    .from(storedBytes)
    .where(equalsBound(storedBytes.ownerId, "ownerId"))
    .prepare("stored_sum"),
);

/**
 * Refuses an owner who may store no more: 409 `storage_limit_reached` beyond the plan's limit (null: none), and 503 `disk_reserved` while the
 * disk is nearly full for those who store more than an equal share of all, so that the others go on.
 */
export async function requireRoom(
  storage: RoomStorage,
  ownerId: string,
  limitOf: () => number | null | Promise<number | null>,
): Promise<void> {
  const [row] = await storedSum(storage.read, storage.tables).execute({ ownerId });
  const stored = row?.bytes ?? 0;
  const limit = await limitOf();
  if (limit !== null && stored >= limit) throw await limitReached(storage, ownerId, stored, limit);
  if (stored === 0 || !storage.disk.isUsed()) return;
  const share = await equalShare(storage);
  if (stored > share) throw diskReserved(stored, share);
}

/** Bytes of an owner if all of them stored the same. Read only while the disk is nearly full. */
async function equalShare({ read, tables: { storedBytes } }: RoomStorage): Promise<number> {
  const [row] = await read
    .select({
      bytes: sumOf(storedBytes),
      owners: sql<number>`count(distinct ${storedBytes.ownerId})`.mapWith(Number),
    })
    .from(storedBytes);
  return (row?.bytes ?? 0) / Math.max(1, row?.owners ?? 0);
}

async function limitReached(
  storage: RoomStorage,
  ownerId: string,
  stored: number,
  limit: number,
): Promise<AppError> {
  const areas = await storedAreas(storage, ownerId);
  const most = areas.slice(0, 3).map(({ area, bytes }) => `${area} ${sizeText(bytes)}`);
  const parts = most.length === 0 ? "" : `, most of it in ${most.join(", ")}`;
  const message = `The plan lets ${sizeText(limit)} be stored, and ${sizeText(stored)} are stored${parts}.`;
  return new AppError("conflict", "storage_limit_reached", message, {
    details: {
      hint: "Delete what you no longer need, or choose a larger plan. Reading and deleting go on.",
      facts: { stored_bytes: stored, limit_bytes: limit, areas },
    },
  });
}

function diskReserved(stored: number, share: number): AppError {
  const message = `The disk is nearly full. ${sizeText(stored)} are stored here, more than an equal share of ${sizeText(share)}, so the rest is kept for others.`;
  return new AppError("unavailable", "disk_reserved", message, {
    details: {
      hint: "Delete what you no longer need, or ask the operator for more disk.",
      retryAfterSeconds: 60,
    },
  });
}

/** Bytes as people read them. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let [size, unit] = [bytes, 0];
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${unit === 0 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** Most owners that one question about another service's bytes names. */
export const askedOwnersMax = 200;

/** What another service holds for an owner. */
export interface HeldElsewhere extends StoredArea {
  owner_id: string;
}

/** Area of what an owner's control plane and its runtime hold, in a service that the control plane tells. */
export const elsewhere = "elsewhere";

/** Bytes that owners store in this service itself, for another that has their plans. */
export async function storedOf(
  { read, tables: { storedBytes } }: RoomStorage,
  owners: readonly string[],
): Promise<HeldElsewhere[]> {
  const { ownerId, area } = storedBytes;
  const rows: HeldElsewhere[] = [];
  for (const owner of owners)
    rows.push(
      ...(await read
        .select({ owner_id: ownerId, area, bytes: sumOf(storedBytes) })
        .from(storedBytes)
        .where(and(eq(ownerId, owner), ne(area, elsewhere)))
        .groupBy(ownerId, area)),
    );
  return rows;
}

/** Keeps what other services hold for owners beside what this one does. */
export async function noteElsewhere(storage: RoomStorage, held: readonly HeldElsewhere[]): Promise<void> {
  const { storedBytes } = storage.tables;
  if (held.length === 0) return;
  await storage.transact(async (tx) => {
    for (const { owner_id: ownerId, area, bytes } of held)
      await tx
        .insert(storedBytes)
        .values({ ownerId, area, part: 0, bytes })
        .onConflictDoUpdate({
          target: [storedBytes.ownerId, storedBytes.area, storedBytes.part],
          set: { bytes },
          setWhere: sql`${storedBytes.bytes} <> excluded.bytes`,
        });
  });
}

/** Adds the parts of connections that ended to the part that stays. */
export async function foldParts(storage: RoomStorage): Promise<void> {
  if (storage.dialect !== "postgres") return;
  const { storedBytes } = storage.tables;
  await storage.transact(
    async (tx) => {
      const ended = await tx
        .delete(storedBytes)
        .where(
          and(ne(storedBytes.part, 0), sql`${storedBytes.part} not in (select pid from pg_stat_activity)`),
        )
        .returning();
      for (const { ownerId, area, bytes } of ended)
        await tx
          .insert(storedBytes)
          .values({ ownerId, area, part: 0, bytes })
          .onConflictDoUpdate({
            target: [storedBytes.ownerId, storedBytes.area, storedBytes.part],
            set: { bytes: sql`${storedBytes.bytes} + excluded.bytes` },
          });
    },
    { isolation: "read committed" },
  );
}
