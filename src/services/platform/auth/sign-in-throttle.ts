import { and, eq, gt, lt, sql } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformDeps } from "../deps.ts";
import type { PlatformTables } from "../tables.ts";
import { addressGroup } from "./address-group.ts";
import { credentialDigest } from "./credential-digest.ts";

/** Failures are counted in windows of this length; the one before counts as well. */
const windowMs = 15 * 60_000;

/** Failed sign-ins after which no more are tried for a while: of one account from one address, of one account, of one address. */
const failuresMax = { pair: 10, account: 100, address: 100 };

export interface SignInAttempt {
  email: string;
  /** Where it comes from. */
  address: string;
}

/** An attempt that was counted as a failure until it turns out to be none. */
export interface CountedAttempt {
  pair: string;
  account: string;
  address: string;
  windowStart: Date;
}

/**
 * Counts an attempt, or throws 429 `too_many_attempts` when there were too many failures lately, whether or not there is such an
 * account; what is refused doesn't count, so that every refusal ends. An account that is guessed at from many addresses still
 * takes one attempt from each address that has not failed there: guessing by others doesn't shut its person out.
 */
export async function countAttempt(
  { storage, clock }: PlatformDeps,
  { email, address }: SignInAttempt,
): Promise<CountedAttempt> {
  const group = addressGroup(address);
  const counted = {
    pair: `pair:${credentialDigest(JSON.stringify([email, group]))}`,
    account: `account:${credentialDigest(email)}`,
    address: `address:${group}`,
    windowStart: windowStart(clock.now()),
  };
  // Each count is one statement that locks its row: attempts at once are counted one after the other.
  await storage.transact(
    async (tx) => {
      const failures = await countEach(tx, storage.tables, counted);
      const isOver =
        failures.pair > failuresMax.pair ||
        failures.address > failuresMax.address ||
        (failures.account > failuresMax.account && failures.pair > 1);
      if (!isOver) return;
      throw new AppError("rate_limited", "too_many_attempts", "Too many failed sign-ins; try again later.", {
        details: { retryAfterSeconds: secondsLeft(clock.now()) },
      });
    },
    { isolation: "read committed" },
  );
  return counted;
}

/** Takes an attempt that was no failure out of the count. */
export async function uncountAttempt(
  tx: Query,
  { failedSignIns }: PlatformTables,
  { windowStart: start, account, address, pair }: CountedAttempt,
): Promise<void> {
  for (const subject of [account, address, pair]) {
    await tx
      .update(failedSignIns)
      .set({ failures: sql`${failedSignIns.failures} - 1` })
      .where(
        and(
          eq(failedSignIns.subject, subject),
          eq(failedSignIns.windowStart, start),
          gt(failedSignIns.failures, 0),
        ),
      );
  }
}

/** Forgets the failures of this account from this address: its person has come. */
export async function forgetFailures(
  tx: Query,
  { failedSignIns }: PlatformTables,
  { pair }: CountedAttempt,
): Promise<void> {
  await tx.delete(failedSignIns).where(eq(failedSignIns.subject, pair));
}

/** Forgets what no longer counts. */
export async function dropOldFailures({
  storage,
  clock,
}: Pick<PlatformDeps, "storage" | "clock">): Promise<void> {
  const { failedSignIns } = storage.tables;
  const before = new Date(windowStart(clock.now()).getTime() - windowMs);
  await storage.transact((tx) => tx.delete(failedSignIns).where(lt(failedSignIns.windowStart, before)));
}

/** The failures of this window and the last one, this attempt among them. */
async function countEach(
  tx: Query,
  { failedSignIns }: PlatformTables,
  { windowStart: start, ...subjects }: CountedAttempt,
): Promise<Record<keyof typeof subjects, number>> {
  // In one order everywhere, so that nobody waits for somebody who waits for them.
  const account = await countOne(tx, failedSignIns, subjects.account, start);
  const address = await countOne(tx, failedSignIns, subjects.address, start);
  const pair = await countOne(tx, failedSignIns, subjects.pair, start);
  return { account, address, pair };
}

async function countOne(
  tx: Query,
  failedSignIns: PlatformTables["failedSignIns"],
  subject: string,
  start: Date,
): Promise<number> {
  const [now] = await tx
    .insert(failedSignIns)
    .values({ subject, windowStart: start, failures: 1 })
    .onConflictDoUpdate({
      target: [failedSignIns.subject, failedSignIns.windowStart],
      set: { failures: sql`${failedSignIns.failures} + 1` },
    })
    .returning({ failures: failedSignIns.failures });
  const [before] = await tx
    .select({ failures: failedSignIns.failures })
    .from(failedSignIns)
    .where(
      and(
        eq(failedSignIns.subject, subject),
        eq(failedSignIns.windowStart, new Date(start.getTime() - windowMs)),
      ),
    );
  return (now?.failures ?? 0) + (before?.failures ?? 0);
}

const windowStart = (now: Date) => new Date(Math.floor(now.getTime() / windowMs) * windowMs);

/** Until the failures of the last window count no longer. */
const secondsLeft = (now: Date) =>
  Math.max(1, Math.ceil((windowStart(now).getTime() + windowMs - now.getTime()) / 1000));
