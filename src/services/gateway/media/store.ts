import { createHash } from "node:crypto";
import { and, asc, eq, inArray, lt, notExists, sql } from "drizzle-orm";
import type { InboundMedia } from "../../../channels/inbound/inbound-event.ts";
import type { Clock } from "../../../kit/clock.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { SealContext, Sealer } from "../../../storage/sealing/seal.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { InboundRow } from "../inbound/schema.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";

export type MediaFileRow = GatewayTables["mediaFiles"]["$inferSelect"];

export const fileBytesMax = 25 * 1024 * 1024;
export const fileDays = 30;
/** A piece is stored in one transaction, which holds up others for a few milliseconds. */
const chunkBytes = 512 * 1024;
const dayMs = 24 * 60 * 60_000;

const chunkSeal = (tenant: string, fileId: string, part: number): SealContext => ({
  purpose: "gateway_file",
  tenant,
  name: `${fileId}.${part}`,
});

/** Id of a file of a delivered message: the same for each try to record it. */
function fileIdOf(eventId: string, index: number): string {
  const hex = createHash("sha256").update(`${eventId}:${index}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}

/** Notes the files of a message, to be fetched, within the transaction that records it. Returns the id of each; a shared link has none. */
export async function wantFiles(
  tx: Query,
  { mediaFiles }: GatewayTables,
  { id, tenantId, accountId, receivedAt }: InboundRow,
  media: readonly InboundMedia[],
  conversationId: string,
  transcribes: boolean,
): Promise<(string | undefined)[]> {
  const ids = media.map(({ kind, id: providerId, url }, index) =>
    kind === "link" || (providerId ?? url) === undefined ? undefined : fileIdOf(id, index),
  );
  const rows = media.flatMap(({ kind, id: providerId, url, mimeType, fileName, isTooLarge }, index) => {
    const fileId = ids[index];
    if (fileId === undefined) return [];
    const source = {
      kind,
      ...(providerId !== undefined && { id: providerId }),
      ...(url !== undefined && { url }),
      ...(mimeType !== undefined && { mimeType }),
    };
    return [
      {
        id: fileId,
        tenantId,
        accountId,
        conversationId,
        kind,
        mimeType: mimeType ?? "application/octet-stream",
        fileName: fileName ?? null,
        bytes: 0,
        state: isTooLarge === true ? ("gone" as const) : ("wanted" as const),
        source,
        tries: 0,
        dueAt: receivedAt,
        createdAt: receivedAt,
        transcript: transcribes && kind === "audio" && isTooLarge !== true ? ("wanted" as const) : null,
      },
    ];
  });
  if (rows.length > 0) await tx.insert(mediaFiles).values(rows).onConflictDoNothing();
  return ids;
}

/** Reads a file of a tenant; without one, of any: for operators only. */
export async function findFile(
  query: ReadQuery,
  { mediaFiles }: GatewayTables,
  id: string,
  tenantId: string | undefined,
): Promise<MediaFileRow | undefined> {
  const ofTenant = tenantId === undefined ? undefined : eq(mediaFiles.tenantId, tenantId);
  const [row] = await query
    .select()
    .from(mediaFiles)
    .where(and(eq(mediaFiles.id, id), ofTenant));
  return row;
}

/** What a tenant may store. */
export interface FileRoom {
  /** Throws if the tenant may store no more. */
  requireRoom(query: ReadQuery, tenantId: string): Promise<void>;
  isFull(query: ReadQuery, tenantId: string): Promise<boolean>;
}

export interface BytesPorts {
  storage: GatewayStorage;
  sealer: Sealer;
  clock: Clock;
}

/** Stores the bytes of a file in place of those that a broken try left. The file counts as kept once its row says so. */
export async function storeBytes(
  { storage, sealer, clock }: BytesPorts,
  { id: fileId, tenantId }: Pick<MediaFileRow, "id" | "tenantId">,
  bytes: Uint8Array,
): Promise<void> {
  const { mediaChunks } = storage.tables;
  await storage.transact((tx) =>
    tx
      .delete(mediaChunks)
      .where(and(eq(mediaChunks.tenantId, tenantId), eq(mediaChunks.fileId, fileId)))
      .returning({ part: mediaChunks.part }),
  );
  for (let part = 0; part * chunkBytes < bytes.length; part++) {
    const piece = bytes.subarray(part * chunkBytes, (part + 1) * chunkBytes);
    const sealed = sealer.sealBytes(piece, chunkSeal(tenantId, fileId, part));
    await storage.transact((tx) =>
      tx.insert(mediaChunks).values({ fileId, part, tenantId, sealed, createdAt: clock.now() }),
    );
    await othersTurn();
  }
}

/** Reads the bytes of a kept file, piece by piece. */
export async function* readBytes(
  { storage: { read, tables }, sealer }: Omit<BytesPorts, "clock">,
  { id: fileId, tenantId, bytes }: MediaFileRow,
): AsyncGenerator<Uint8Array> {
  const { mediaChunks } = tables;
  for (let part = 0; part * chunkBytes < bytes; part++) {
    const [row] = await read
      .select({ sealed: mediaChunks.sealed })
      .from(mediaChunks)
      .where(
        and(eq(mediaChunks.tenantId, tenantId), eq(mediaChunks.fileId, fileId), eq(mediaChunks.part, part)),
      );
    // It was dropped while it was read.
    if (row === undefined) throw new Error(`Part ${part} of file ${fileId} is gone.`);
    yield sealer.openBytes(row.sealed, chunkSeal(tenantId, fileId, part));
  }
}

/** Deletes files with their bytes. Returns how many. */
export async function dropFiles(
  tx: Query,
  { mediaFiles, mediaChunks }: GatewayTables,
  tenantId: string,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  await tx
    .delete(mediaChunks)
    .where(and(eq(mediaChunks.tenantId, tenantId), inArray(mediaChunks.fileId, [...ids])))
    .returning({ part: mediaChunks.part });
  const dropped = await tx
    .delete(mediaFiles)
    .where(and(eq(mediaFiles.tenantId, tenantId), inArray(mediaFiles.id, [...ids])))
    .returning({ id: mediaFiles.id });
  return dropped.length;
}

/** The oldest files of a tenant. */
export async function oldestFiles(
  tx: Query,
  { mediaFiles }: GatewayTables,
  tenantId: string,
  limit: number,
): Promise<string[]> {
  const rows = await tx
    .select({ id: mediaFiles.id })
    .from(mediaFiles)
    .where(eq(mediaFiles.tenantId, tenantId))
    .orderBy(asc(mediaFiles.createdAt), asc(mediaFiles.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Files of one transaction of the sweep. */
const sweptTogether = 20;

/** Deletes the files that were kept for their time, over all tenants, and bytes whose file was never kept. */
export async function sweepFiles({ storage, clock }: Pick<BytesPorts, "storage" | "clock">): Promise<void> {
  const { mediaFiles, mediaChunks } = storage.tables;
  const before = (days: number) => new Date(clock.now().getTime() - days * dayMs);
  for (;;) {
    const old = await storage.read
      .select({ id: mediaFiles.id, tenantId: mediaFiles.tenantId })
      .from(mediaFiles)
      .where(lt(mediaFiles.createdAt, before(fileDays)))
      .limit(sweptTogether);
    for (const [tenantId, files] of Map.groupBy(old, (file) => file.tenantId)) {
      const ids = files.map(({ id }) => id);
      await storage.transact((tx) => dropFiles(tx, storage.tables, tenantId, ids));
    }
    if (old.length < sweptTogether) break;
    await othersTurn();
  }
  await storage.transact((tx) =>
    tx
      .delete(mediaChunks)
      .where(
        and(
          lt(mediaChunks.createdAt, before(1)),
          notExists(tx.select({ one: sql`1` }).from(mediaFiles).where(eq(mediaFiles.id, mediaChunks.fileId))),
        ),
      )
      .returning({ part: mediaChunks.part }),
  );
}

/** Reads whole files of tenants, to upload them to providers. */
export const createFileReader =
  ({ storage, sealer }: { storage: GatewayStorage; sealer: Sealer | undefined }) =>
  async (tenantId: string, fileId: string): Promise<Blob | undefined> => {
    const file = await findFile(storage.read, storage.tables, fileId, tenantId);
    if (file?.state !== "kept" || sealer === undefined) return undefined;
    const pieces = await Array.fromAsync(readBytes({ storage, sealer }, file));
    return new Blob(pieces as BlobPart[], { type: file.mimeType });
  };
