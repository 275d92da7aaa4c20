import { lt, lte } from "drizzle-orm";
import type { Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** Longer than any minute is asked for again. */
const windowKeptMs = 60 * 60 * 1000;

/** Drops what runs leave behind and nobody asks for any more: answers kept for too long, minutes that are over, dead tokens. */
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
    await tx.delete(runTokens).where(lte(runTokens.expiresAt, now));
  }, one);
}
