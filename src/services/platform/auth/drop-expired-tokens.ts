import { and, eq, inArray, lte, notExists, sql } from "drizzle-orm";
import type { PlatformDeps } from "../deps.ts";

/** Rows that one transaction deletes at most, so that nobody waits long for it. */
const batchMax = 500;

/**
 * Deletes refresh tokens past their time, with the sessions whose last token that was: they can't go on, and the access tokens of
 * theirs, which live shorter, are past their time as well. How many tokens went.
 */
export async function dropExpiredTokens(deps: Pick<PlatformDeps, "storage" | "clock">): Promise<number> {
  let dropped = 0;
  for (;;) {
    const tokens = await dropBatch(deps);
    dropped += tokens;
    if (tokens < batchMax) return dropped;
  }
}

function dropBatch({ storage, clock }: Pick<PlatformDeps, "storage" | "clock">): Promise<number> {
  const { refreshTokens, sessions } = storage.tables;
  return storage.transact(async (tx) => {
    const due = await tx
      .select({ hash: refreshTokens.hash, sessionId: refreshTokens.sessionId })
      .from(refreshTokens)
      .where(lte(refreshTokens.expiresAt, clock.now()))
      .limit(batchMax);
    if (due.length === 0) return 0;
    const hashes = due.map(({ hash }) => hash);
    await tx.delete(refreshTokens).where(inArray(refreshTokens.hash, hashes));
    const left = tx
      .select({ one: sql`1` })
      .from(refreshTokens)
      .where(eq(refreshTokens.sessionId, sessions.id));
    const ids = [...new Set(due.map(({ sessionId }) => sessionId))];
    await tx.delete(sessions).where(and(inArray(sessions.id, ids), notExists(left)));
    return due.length;
  });
}
