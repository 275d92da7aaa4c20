import { and, eq, gt, lt, sql } from "drizzle-orm";
import { addressGroup } from "../../../http/front-door/caller-address.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import type { Device } from "./known-device.ts";
import type { SlowLane } from "./slow-lanes.ts";

/** Length of a window for counting failures. The previous window counts as well. */
const windowMs = 15 * 60_000;

/** An address stays known to an account for 90 days after a sign-in. */
const knownMs = 90 * 86_400_000;
/** A known address is recorded again after one day. */
const notedAgainMs = 86_400_000;

/** Number of failures after which attempts must wait, and the interval between attempts. */
const limits = {
  /** One account, tried from one address. */
  pair: { failuresMax: 10, paceMs: 5000 },
  /** One account, tried from unknown addresses. */
  account: { failuresMax: 100, paceMs: 1000 },
  /** One address that tries accounts to which it is unknown. */
  address: { failuresMax: 100, paceMs: 1000 },
} as const;

export interface SignInAttempt {
  email: string;
  /** Address of the caller. */
  address: string;
  /** The caller's address as a proxy states it that isn't trusted: it decides only about turns among callers of one address. */
  claimed?: string | undefined;
  device?: Device | undefined;
}

interface Subjects {
  pair: string;
  account: string;
  address: string;
}

/** An attempt that counts as a failure until it succeeds. */
export interface CountedAttempt extends Subjects {
  windowStart: Date;
  /** True if the account was used from this address, or with this device, before. */
  isKnown: boolean;
  /** Group of callers for turns: address and claimed address. */
  from: readonly string[];
  /** Lanes to wait in, in order, before the password is checked. */
  lanes: SlowLane[];
}

/**
 * Counts an attempt and returns the lanes it must wait in, whether or not the account exists. No attempt is refused here, so the right
 * password works even after many guesses by others. From a known address, only failures of that account at that address count; with a known
 * device, only those with that device.
 */
export async function countAttempt(
  { storage, clock }: Pick<StoreDeps, "storage" | "clock">,
  attempt: SignInAttempt,
): Promise<CountedAttempt> {
  const start = windowStart(clock.now());
  const device = deviceSubject(attempt);
  // Each count is one statement that locks its row, so simultaneous attempts are counted one after the other.
  const { failures, isKnown, subjects } = await storage.transact(
    async (tx) => {
      const isKnownTo = (subject: string) => isKnownAddress(tx, storage.tables, subject, clock.now());
      const ofAddress = subjectsOf(attempt);
      const pair = device !== undefined && (await isKnownTo(device)) ? device : ofAddress.pair;
      const subjects = { ...ofAddress, pair };
      const failures = await countEach(tx, storage.tables, subjects, start);
      return { subjects, failures, isKnown: pair === device || (await isKnownTo(pair)) };
    },
    { isolation: "read committed" },
  );
  const names = isKnown ? (["pair"] as const) : (["pair", "account", "address"] as const);
  const lanes = names
    .filter((name) => failures[name] > limits[name].failuresMax)
    .map((name) => ({ key: subjects[name], paceMs: limits[name].paceMs }));
  const from = [addressGroup(attempt.address), addressGroup(attempt.claimed ?? "")];
  return { ...subjects, windowStart: start, isKnown, lanes, from };
}

/** Records that the account was used from this address and with this device. */
export async function noteAddress(
  tx: Query,
  { knownAddresses }: PlatformTables,
  attempt: SignInAttempt,
  now: Date,
): Promise<void> {
  for (const pair of [subjectsOf(attempt).pair, deviceSubject(attempt)]) {
    if (pair === undefined) continue;
    const [known] = await tx.select().from(knownAddresses).where(eq(knownAddresses.pair, pair));
    if (known !== undefined && now.getTime() - known.usedAt.getTime() < notedAgainMs) continue;
    await tx
      .insert(knownAddresses)
      .values({ pair, usedAt: now })
      .onConflictDoUpdate({ target: knownAddresses.pair, set: { usedAt: now } });
  }
}

const deviceSubject = ({ email, device }: SignInAttempt) =>
  device && `device:${credentialDigest(JSON.stringify([email, device.mark]))}`;

async function isKnownAddress(
  tx: Query,
  { knownAddresses }: PlatformTables,
  pair: string,
  now: Date,
): Promise<boolean> {
  const usedAfter = new Date(now.getTime() - knownMs);
  const addressRow = await tx
    .select({ pair: knownAddresses.pair })
    .from(knownAddresses)
    .where(and(eq(knownAddresses.pair, pair), gt(knownAddresses.usedAt, usedAfter)));
  return addressRow.length > 0;
}

function subjectsOf({ email, address }: SignInAttempt): Subjects {
  const group = addressGroup(address);
  return {
    pair: `pair:${credentialDigest(JSON.stringify([email, group]))}`,
    account: `account:${credentialDigest(email)}`,
    address: `address:${group}`,
  };
}

/** Removes an attempt from the count, because it was not a failure. */
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

/** Deletes the failures of this account from this address after a successful sign-in. */
export async function forgetFailures(
  tx: Query,
  { failedSignIns }: PlatformTables,
  { pair }: CountedAttempt,
): Promise<void> {
  await tx.delete(failedSignIns).where(eq(failedSignIns.subject, pair));
}

/** Deletes failures that no longer count, and addresses not used for 90 days. */
export async function dropOldFailures({
  storage,
  clock,
}: Pick<StoreDeps, "storage" | "clock">): Promise<void> {
  const { failedSignIns, knownAddresses } = storage.tables;
  const now = clock.now();
  const before = new Date(windowStart(now).getTime() - windowMs);
  const usedBefore = new Date(now.getTime() - knownMs);
  await deleteInPieces(storage, failedSignIns, lt(failedSignIns.windowStart, before));
  await deleteInPieces(storage, knownAddresses, lt(knownAddresses.usedAt, usedBefore));
}

/** Number of failures in this window and the previous one, including this attempt. */
async function countEach(
  tx: Query,
  { failedSignIns }: PlatformTables,
  subjects: Subjects,
  start: Date,
): Promise<Record<keyof Subjects, number>> {
  // Same order everywhere, to avoid deadlocks.
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
