import { and, eq, isNotNull, isNull, lte, or } from "drizzle-orm";
import type { OutboxAccountRow } from "../../../channels/outbox/schema.ts";
import type { ChannelAccount, ChannelStorage } from "./schema.ts";

/** Opens the account of the settings, which may have changed since a provider refused it. */
export async function openAccount(
  { transact, tables: { accounts } }: ChannelStorage,
  { id, tenantId }: ChannelAccount,
): Promise<void> {
  const works = { pausedReason: null, quietUntil: null };
  await transact((tx) =>
    tx
      .insert(accounts)
      .values({ id, tenantId, ...works })
      .onConflictDoUpdate({ target: accounts.id, set: works }),
  );
}

/** Returns the account while its provider refuses it, otherwise undefined. */
export async function findPaused(
  { read, tables: { accounts } }: ChannelStorage,
  { id, tenantId }: ChannelAccount,
): Promise<OutboxAccountRow | undefined> {
  const isIt = and(eq(accounts.tenantId, tenantId), eq(accounts.id, id));
  const [row] = await read
    .select()
    .from(accounts)
    .where(and(isIt, isNotNull(accounts.pausedReason)));
  return row;
}

/** Ends the pause of an account whose rest is over. Returns true if it did. */
export async function resumeRested(
  storage: ChannelStorage,
  account: ChannelAccount,
  now: Date,
): Promise<boolean> {
  const { accounts } = storage.tables;
  const paused = await findPaused(storage, account);
  if (paused === undefined || (paused.quietUntil !== null && paused.quietUntil > now)) return false;
  const isRested = or(isNull(accounts.quietUntil), lte(accounts.quietUntil, now));
  const resumed = await storage.transact((tx) =>
    tx
      .update(accounts)
      .set({ pausedReason: null })
      .where(and(eq(accounts.tenantId, account.tenantId), eq(accounts.id, account.id), isRested))
      .returning({ id: accounts.id }),
  );
  return resumed.length > 0;
}

/** Rests after the first refusal of a message, and after refusals for longer than these times; the last one repeats. */
const rests = [
  { waitedMs: 0, restMs: 60_000 },
  { waitedMs: 60_000, restMs: 120_000 },
  { waitedMs: 180_000, restMs: 300_000 },
  { waitedMs: 480_000, restMs: 900_000 },
];

/** Returns how long an account rests after its provider refused a message that has waited for `waitedMs`. */
export const restOf = (waitedMs: number): number =>
  rests.findLast((rest) => waitedMs >= rest.waitedMs)?.restMs ?? 60_000;
