import { and, asc, eq, lte } from "drizzle-orm";
import type { MediaSource } from "../../../channels/media/media-source.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { openAccount } from "../accounts/credentials.ts";
import { findAccount } from "../accounts/store.ts";
import { sniffType } from "./sniff-type.ts";
import {
  type BytesPorts,
  type FileRoom,
  fileBytesMax,
  findFile,
  type MediaFileRow,
  readBytes,
  storeBytes,
} from "./store.ts";

export interface FetchPorts extends Omit<BytesPorts, "sealer"> {
  sealer: Sealer | undefined;
  media: MediaSource;
  storageRoom: FileRoom;
  emulatedIds: readonly string[];
  log: Logger;
}

/** Files that are fetched at one time, and those of one tenant among them: each may be 25 MiB. */
const [atOnceMax, ofTenantMax] = [4, 2];
const lookedAt = 64;
/** Longer than a fetch takes: until then, no other process tries. */
const leaseMs = 90_000;
/** Waits after the first failed try, the second, and so on. Providers' addresses last at least an hour. */
const waitsMs = [10_000, 60_000, 300_000, 1_800_000];

/** Fetches wanted files until none is due. Several processes may do so. */
export async function fetchFiles(ports: FetchPorts, signal: AbortSignal): Promise<void> {
  // Without keys nothing can be sealed.
  if (ports.sealer === undefined) return;
  while (!signal.aborted) {
    const due = await dueFiles(ports);
    const claimed = (await Promise.all(due.map((file) => claim(ports, file)))).filter(
      (file) => file !== undefined,
    );
    if (claimed.length === 0) return;
    await Promise.all(claimed.map((file) => fetchOne(ports, file, signal)));
  }
}

async function dueFiles({ storage: { read, tables }, clock }: FetchPorts): Promise<MediaFileRow[]> {
  const { mediaFiles } = tables;
  const rows = await read
    .select()
    .from(mediaFiles)
    .where(and(eq(mediaFiles.state, "wanted"), lte(mediaFiles.dueAt, clock.now())))
    .orderBy(asc(mediaFiles.dueAt))
    .limit(lookedAt);
  const perTenant = Map.groupBy(rows, ({ tenantId }) => tenantId);
  return [...perTenant.values()].flatMap((some) => some.slice(0, ofTenantMax)).slice(0, atOnceMax);
}

/** Counts a try. Returns undefined if another process was faster. */
async function claim({ storage, clock }: FetchPorts, file: MediaFileRow): Promise<MediaFileRow | undefined> {
  const { mediaFiles } = storage.tables;
  const [row] = await storage.transact((tx) =>
    tx
      .update(mediaFiles)
      .set({ tries: file.tries + 1, dueAt: new Date(clock.now().getTime() + leaseMs) })
      .where(
        and(
          eq(mediaFiles.tenantId, file.tenantId),
          eq(mediaFiles.id, file.id),
          eq(mediaFiles.state, "wanted"),
          eq(mediaFiles.tries, file.tries),
        ),
      )
      .returning(),
  );
  return row;
}

async function fetchOne(ports: FetchPorts, file: MediaFileRow, signal: AbortSignal): Promise<void> {
  const { storage, sealer, clock, log } = ports;
  // Processes died over it.
  if (file.tries > waitsMs.length + 1) return settle(ports, file, goneOf(file));
  try {
    const found = await bytesOf(ports, file, signal);
    if (found !== undefined && sealer !== undefined) {
      await storeBytes({ storage, sealer, clock }, file, found.bytes);
      const mimeType = sniffType(found.bytes, found.mimeType);
      // Transcribing begins its own tries, at once.
      const next = file.transcript === null ? {} : { tries: 0, dueAt: clock.now() };
      await settle(ports, file, { state: "kept", bytes: found.bytes.length, mimeType, ...next });
      return;
    }
  } catch (err) {
    if (signal.aborted) return;
    log.warn("media.not_kept", { file: file.id, err });
  }
  const waitMs = waitsMs[file.tries - 1];
  await settle(
    ports,
    file,
    waitMs === undefined ? goneOf(file) : { dueAt: new Date(clock.now().getTime() + waitMs) },
  );
}

/** A file that can't be had. Its message still learns that there is no transcript. */
const goneOf = ({ transcript }: MediaFileRow): Partial<MediaFileRow> => ({
  state: "gone",
  ...(transcript !== null && { tries: 0, dueAt: new Date(0) }),
});

async function bytesOf(ports: FetchPorts, file: MediaFileRow, signal: AbortSignal) {
  const { storage, sealer, media, storageRoom, emulatedIds } = ports;
  const { source, tenantId, accountId } = file;
  if (source === null || accountId === null || sealer === undefined) return undefined;
  const account = await findAccount(storage.read, storage.tables, tenantId, accountId);
  if (account === undefined || (await storageRoom.isFull(storage.read, tenantId))) return undefined;
  if (!account.emulated && !emulatedIds.includes(account.externalId))
    return media.fetch(openAccount(sealer, account), source, fileBytesMax, signal);
  // The provider's id of an emulated file is that of an uploaded one.
  const uploaded =
    source.id === undefined ? undefined : await findFile(storage.read, storage.tables, source.id, tenantId);
  if (uploaded?.state !== "kept") return undefined;
  const pieces = await Array.fromAsync(readBytes({ storage, sealer }, uploaded));
  return { bytes: Buffer.concat(pieces), mimeType: uploaded.mimeType };
}

async function settle(
  { storage }: FetchPorts,
  { id, tenantId, tries }: MediaFileRow,
  change: Partial<MediaFileRow>,
): Promise<void> {
  const { mediaFiles } = storage.tables;
  await storage.transact((tx) =>
    tx
      .update(mediaFiles)
      .set(change)
      .where(and(eq(mediaFiles.tenantId, tenantId), eq(mediaFiles.id, id), eq(mediaFiles.tries, tries)))
      .returning({ id: mediaFiles.id }),
  );
}
