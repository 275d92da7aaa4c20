import { and, eq, inArray, lte, notExists, sql } from "drizzle-orm";
import type { SessionDeps } from "./session-tables.ts";

/** Maximum number of rows deleted in one transaction, to keep it short. */
const batchMax = 500;

/**
 * Deletes expired refresh tokens, and sessions whose last token has expired. Such sessions can't continue, and their access tokens, which
 * live shorter, have expired too. Returns the number of tokens.
 */
export async function dropExpiredTokens(deps: Pick<SessionDeps, "storage" | "clock">): Promise<number> {
  let dropped = 0;
  for (;;) {
    const tokens = await dropBatch(deps);
    dropped += tokens;
    if (tokens < batchMax) return dropped;
  }
}

function dropBatch({ storage, clock }: Pick<SessionDeps, "storage" | "clock">): Promise<number> {
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
