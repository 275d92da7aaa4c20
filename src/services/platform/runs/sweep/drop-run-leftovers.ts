import { lt, lte } from "drizzle-orm";
import type { Storage } from "../../../../storage/storage.ts";
import type { PlatformTables } from "../../tables.ts";
import { continuableSince } from "../durable/continuable.ts";

/** Longer than any rate window is needed. */
const windowKeptMs = 60 * 60 * 1000;

/** Deletes expired answers, past rate windows and expired run tokens. */
export async function dropRunLeftovers(
  { tables, transact }: Storage<PlatformTables>,
  now: Date,
): Promise<void> {
  const { idempotencyKeys, rateWindows, runTokens } = tables;
  const windowsUntil = new Date(now.getTime() - windowKeptMs);
  const one = { isolation: "read committed" } as const;
  await transact(async (tx) => {
    await tx.delete(idempotencyKeys).where(lte(idempotencyKeys.expiresAt, now));
  }, one);
  await transact(async (tx) => {
    await tx.delete(rateWindows).where(lt(rateWindows.minute, windowsUntil));
  }, one);
  await transact(async (tx) => {
    // A durable run that was interrupted needs its row, although its token is over.
    await tx.delete(runTokens).where(lte(runTokens.expiresAt, continuableSince(now)));
  }, one);
}
