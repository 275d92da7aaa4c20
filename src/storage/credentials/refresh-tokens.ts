import { randomBytes } from "node:crypto";
import { and, eq, gt, isNull } from "drizzle-orm";
import { AppError } from "../../kit/app-error.ts";
import { credentialDigest } from "../../kit/credential-digest.ts";
import type { Query } from "../storage.ts";
import type { AccessClaims } from "./access-tokens.ts";
import type { SessionDeps } from "./session-tables.ts";

const refreshDays = 7;

/** Window for two simultaneous calls of one client: the second fails, but nothing was stolen. */
const raceMs = 10_000;

/** A stored refresh token, and the person and session that it belongs to. */
export interface StoredRefresh {
  claims: AccessClaims;
  refreshToken: string;
}

/** Creates a session for a person with its first refresh token. */
export async function openSession(deps: SessionDeps, tx: Query, userId: string): Promise<StoredRefresh> {
  const sessionId = deps.newId();
  const createdAt = deps.clock.now();
  await tx.insert(deps.storage.tables.sessions).values({ id: sessionId, userId, createdAt, revokedAt: null });
  return storeRefresh(deps, tx, { userId, sessionId }, newRefreshToken());
}

/** Ends a session: its tokens stop working at once. */
export async function endSession(
  { storage, clock }: Pick<SessionDeps, "storage" | "clock">,
  sessionId: string,
): Promise<void> {
  const { sessions } = storage.tables;
  await storage.transact((tx) =>
    tx.update(sessions).set({ revokedAt: clock.now() }).where(eq(sessions.id, sessionId)),
  );
}

/**
 * Exchanges a refresh token for the next one. Only one exchange of a token succeeds. If the token is used again within 10 s, throws 401
 * `refresh_raced`. If it is used later, or after its successor was exchanged, the token was stolen and the session ends; `revoked` records
 * that in the same transaction.
 */
export async function exchangeRefresh(
  deps: SessionDeps,
  refreshToken: string,
  revoked: (tx: Query, sessionId: string) => Promise<void> = async () => {},
): Promise<StoredRefresh> {
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
    await revoked(tx, sessionId);
    return refused();
  });
  if (verdict instanceof AppError) throw verdict;
  return verdict;
}

interface NewRefresh {
  refreshToken: string;
  hash: string;
}

/** Makes a token of 256 random bits. */
function newRefreshToken(): NewRefresh {
  const refreshToken = randomBytes(32).toString("base64url");
  return { refreshToken, hash: credentialDigest(refreshToken) };
}

/** Stores the next refresh token of a session. */
async function storeRefresh(
  { clock, storage }: Pick<SessionDeps, "clock" | "storage">,
  tx: Query,
  claims: AccessClaims,
  { refreshToken, hash }: NewRefresh,
): Promise<StoredRefresh> {
  const issuedAt = clock.now();
  await tx.insert(storage.tables.refreshTokens).values({
    hash,
    sessionId: claims.sessionId,
    issuedAt,
    expiresAt: new Date(issuedAt.getTime() + refreshDays * 86_400_000),
    rotatedAt: null,
    successor: null,
  });
  return { claims, refreshToken };
}

/** Returns true if the successor has not been exchanged yet. */
async function isInUse(
  tx: Query,
  { storage: { tables } }: Pick<SessionDeps, "storage">,
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
