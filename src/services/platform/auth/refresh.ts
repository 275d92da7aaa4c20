import { and, eq, gt, isNull } from "drizzle-orm";
import type { TokenPair } from "../../../contracts/platform/auth.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import type { Query } from "../../../storage/storage.ts";
import { writeAudit } from "../audit/write-audit.ts";
import type { StoreDeps } from "../tables.ts";
import type { AuthDeps } from "./deps.ts";
import { newRefreshToken, pairOf, type StoredRefresh, storeRefresh } from "./token-pair.ts";

/** Window for two simultaneous calls of one client: the second fails, but nothing was stolen. */
const raceMs = 10_000;

/**
 * Exchanges a refresh token for the next pair. Only one exchange of a token succeeds. If the token is used again within 10 s, throws 401
 * `refresh_raced`. If it is used later, or after its successor was exchanged, the token was stolen and the session ends.
 */
export async function refresh(deps: AuthDeps, refreshToken: string): Promise<TokenPair> {
  const { storage, clock } = deps;
  const { refreshTokens, sessions, users } = storage.tables;
  const hash = credentialDigest(refreshToken);
  const verdict = await storage.transact(async (tx): Promise<StoredRefresh | AppError> => {
    const now = clock.now();
    const [found] = await tx
      .select({ token: refreshTokens, userId: sessions.userId })
      .from(refreshTokens)
      .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(eq(refreshTokens.hash, hash), gt(refreshTokens.expiresAt, now), isNull(sessions.revokedAt)));
    if (found === undefined) return refused();
    const { sessionId, successor } = found.token;
    const next = newRefreshToken();
    const [rotated] = await tx
      .update(refreshTokens)
      .set({ rotatedAt: now, successor: next.hash })
      .where(and(eq(refreshTokens.hash, hash), isNull(refreshTokens.rotatedAt)))
      .returning({ hash: refreshTokens.hash });
    if (rotated !== undefined) return storeRefresh(deps, tx, { userId: found.userId, sessionId }, next);
    const rotatedAt = found.token.rotatedAt ?? now;
    const isFresh = now.getTime() - rotatedAt.getTime() <= raceMs;
    if (isFresh && (await isInUse(tx, deps, successor))) return raced();
    await tx.update(sessions).set({ revokedAt: now }).where(eq(sessions.id, sessionId));
    const entry = { actor: "system", action: "session.reuse_revoked", subject: sessionId };
    await writeAudit(tx, storage.tables, { now, newId: deps.newId }, entry);
    return refused();
  });
  if (verdict instanceof AppError) throw verdict;
  return pairOf(deps, verdict);
}

/** Returns true if the successor has not been exchanged yet. */
async function isInUse(
  tx: Query,
  { storage: { tables } }: StoreDeps,
  successor: string | null,
): Promise<boolean> {
  const { refreshTokens } = tables;
  const [row] = await tx
    .select({ rotatedAt: refreshTokens.rotatedAt })
    .from(refreshTokens)
    .where(eq(refreshTokens.hash, successor ?? ""));
  return row?.rotatedAt === null;
}

const refused = () =>
  new AppError(
    "unauthorized",
    "unauthorized",
    "The refresh token is unknown, used, expired or revoked; sign in again.",
  );

const raced = () =>
  new AppError(
    "unauthorized",
    "refresh_raced",
    "This refresh token was exchanged a moment ago. Use the new pair of tokens.",
  );
