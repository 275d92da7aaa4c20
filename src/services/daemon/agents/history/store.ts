import { and, desc, eq, lt } from "drizzle-orm";
import type { Query, ReadQuery } from "../../../../storage/storage.ts";
import type { HistoryTables, ManifestRow } from "./schema.ts";

/** An agent of a tenant. */
export interface ManifestKey {
  tenant: string;
  agent: string;
}

/** A version without its text, which may have 1 MiB. */
export type ListedManifest = Omit<ManifestRow, "manifest">;

/** Versions kept for each agent. */
export const versionsMax = 50;
/** Bytes kept for each agent. The newest version is kept, however long it is. */
export const historyBytesMax = 4 * 1024 * 1024;

/** Lists an agent's versions, newest first. */
export async function listManifests(
  read: ReadQuery,
  { agentManifests: kept }: HistoryTables,
  { tenant, agent }: ManifestKey,
): Promise<ListedManifest[]> {
  const { tenant: tenantId, number, origin, bytes, checksum, masked, at } = kept;
  return read
    .select({ tenant: tenantId, agent: kept.agent, number, origin, bytes, checksum, masked, at })
    .from(kept)
    .where(and(eq(kept.tenant, tenant), eq(kept.agent, agent)))
    .orderBy(desc(kept.number));
}

export async function findManifest(
  read: ReadQuery,
  { agentManifests: kept }: HistoryTables,
  { tenant, agent }: ManifestKey,
  number: number,
): Promise<ManifestRow | undefined> {
  const [row] = await read
    .select()
    .from(kept)
    .where(and(eq(kept.tenant, tenant), eq(kept.agent, agent), eq(kept.number, number)));
  return row;
}

/** Adds a version unless the newest one has the same text, and deletes the oldest beyond the limits. */
export async function addManifest(
  tx: Query,
  tables: HistoryTables,
  version: Omit<ManifestRow, "number">,
): Promise<void> {
  const { agentManifests: kept } = tables;
  const known = await listManifests(tx, tables, version);
  if (known[0]?.checksum === version.checksum) return;
  const number = (known[0]?.number ?? 0) + 1;
  await tx.insert(kept).values({ ...version, number });
  let bytes = version.bytes;
  const tooOld = known.find((one, index) => {
    bytes += one.bytes;
    return index + 1 >= versionsMax || bytes > historyBytesMax;
  });
  if (tooOld === undefined) return;
  await tx
    .delete(kept)
    .where(
      and(eq(kept.tenant, version.tenant), eq(kept.agent, version.agent), lt(kept.number, tooOld.number + 1)),
    );
}

/** Deletes all versions of an agent. */
export async function deleteManifests(
  tx: Query,
  { agentManifests: kept }: HistoryTables,
  { tenant, agent }: ManifestKey,
): Promise<void> {
  await tx.delete(kept).where(and(eq(kept.tenant, tenant), eq(kept.agent, agent)));
}
