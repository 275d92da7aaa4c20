import { and, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { PlatformDeps } from "../deps.ts";
import { credentialDigest } from "./credential-digest.ts";

/** Failures are counted in windows of this length; the one before counts as well. */
const windowMs = 15 * 60_000;

/**
 * Failed sign-ins after which no more are tried for a while: of one account from one address, of one account from anywhere, and
 * of one address. Many addresses together can slow an account down, but a person who comes from another address than the
 * guesser has the first limit to themself.
 */
const failuresMax = { pair: 10, account: 100, address: 100 };

export interface SignInAttempt {
  email: string;
  /** Where it comes from. */
  address: string;
}

/** Throws 429 `too_many_attempts` when there were too many failures lately, whether or not there is such an account. */
export async function requireUnthrottled(deps: PlatformDeps, attempt: SignInAttempt): Promise<void> {
  const { failedSignIns } = deps.storage.tables;
  const limits = limitsOf(attempt);
  const since = new Date(windowStart(deps.clock.now()).getTime() - windowMs);
  const rows = await deps.storage.read
    .select({ subject: failedSignIns.subject, failures: sql`sum(${failedSignIns.failures})`.mapWith(Number) })
    .from(failedSignIns)
    .where(and(inArray(failedSignIns.subject, [...limits.keys()]), gte(failedSignIns.windowStart, since)))
    .groupBy(failedSignIns.subject);
  const isOver = rows.some(
    ({ subject, failures }) => failures >= (limits.get(subject) ?? Number.POSITIVE_INFINITY),
  );
  if (!isOver) return;
  throw new AppError("rate_limited", "too_many_attempts", "Too many failed sign-ins; try again later.", {
    details: { retryAfterSeconds: windowMs / 1000 },
  });
}

export async function noteFailedSignIn(deps: PlatformDeps, attempt: SignInAttempt): Promise<void> {
  const { failedSignIns } = deps.storage.tables;
  const start = windowStart(deps.clock.now());
  await deps.storage.transact(
    async (tx) => {
      for (const subject of [...limitsOf(attempt).keys()].sort()) {
        await tx
          .insert(failedSignIns)
          .values({ subject, windowStart: start, failures: 1 })
          .onConflictDoUpdate({
            target: [failedSignIns.subject, failedSignIns.windowStart],
            set: { failures: sql`${failedSignIns.failures} + 1` },
          });
      }
    },
    { isolation: "read committed" },
  );
}

/** Forgets the failures of this account from this address. */
export async function noteSignIn({ storage }: PlatformDeps, attempt: SignInAttempt): Promise<void> {
  const { failedSignIns } = storage.tables;
  await storage.transact((tx) => tx.delete(failedSignIns).where(eq(failedSignIns.subject, pairOf(attempt))));
}

/** Forgets what no longer counts. */
export async function dropOldFailures({ storage, clock }: PlatformDeps): Promise<void> {
  const { failedSignIns } = storage.tables;
  const before = new Date(clock.now().getTime() - 3 * windowMs);
  await storage.transact((tx) => tx.delete(failedSignIns).where(lt(failedSignIns.windowStart, before)));
}

function limitsOf(attempt: SignInAttempt): ReadonlyMap<string, number> {
  return new Map([
    [pairOf(attempt), failuresMax.pair],
    [`account:${credentialDigest(attempt.email)}`, failuresMax.account],
    [`address:${attempt.address}`, failuresMax.address],
  ]);
}

const pairOf = ({ email, address }: SignInAttempt) =>
  `pair:${credentialDigest(JSON.stringify([email, address]))}`;

const windowStart = (now: Date) => new Date(Math.floor(now.getTime() / windowMs) * windowMs);
