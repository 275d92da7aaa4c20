import { lt, lte } from "drizzle-orm";
import { deleteInPieces } from "../../../../storage/delete-in-pieces.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { PlatformTables } from "../../tables.ts";
import { continuableSince } from "../durable/continuable.ts";

/** Longer than any rate window is needed. */
const windowKeptMs = 60 * 60 * 1000;

/** Deletes expired answers, past rate windows and expired run tokens. */
export async function dropRunLeftovers(storage: Storage<PlatformTables>, now: Date): Promise<void> {
  const { idempotencyKeys, rateWindows, runTokens } = storage.tables;
  const windowsUntil = new Date(now.getTime() - windowKeptMs);
  await deleteInPieces(storage, idempotencyKeys, lte(idempotencyKeys.expiresAt, now));
  await deleteInPieces(storage, rateWindows, lt(rateWindows.minute, windowsUntil));
  // A durable run that was interrupted needs its row, although its token is over.
  await deleteInPieces(storage, runTokens, lte(runTokens.expiresAt, continuableSince(now)));
}
