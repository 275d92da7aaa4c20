import { createHmac, randomBytes } from "node:crypto";
import { and, eq, gt, isNull } from "drizzle-orm";
import { AppError } from "../../kit/app-error.ts";
import { credentialDigest } from "../../kit/credential-digest.ts";
import type { AccessClaims } from "../../storage/access-tokens.ts";
import type { Query } from "../../storage/storage.ts";
import { writeAudit } from "../audit/write-audit.ts";
import type { SessionSource } from "./session-source.ts";
import type { SessionDeps } from "./session-tables.ts";

const refreshDays = 7;

/** Time for which an exchanged token returns its successor again: the answer was lost, or two tabs sent the token. */
const againMs = 60_000;

/** A stored refresh token, and the person and session that it belongs to. */
export interface StoredRefresh {
  claims: AccessClaims;
  refreshToken: string;
}

/** Creates a session for a person with its first refresh token. */
export async function openSession(
  deps: SessionDeps,
  tx: Query,
  userId: string,
  source: SessionSource,
): Promise<StoredRefresh> {
  const sessionId = deps.newId();
  const createdAt = deps.clock.now();
  await tx
    .insert(deps.storage.tables.sessions)
    .values({ id: sessionId, userId, createdAt, revokedAt: null, ...source });
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
 * Exchanges a refresh token for its successor. Within 60 s of the exchange, the token returns the same successor again. If it is used later,
 * or after its successor was exchanged, the token was stolen: the session ends, which is audited.
 */
export async function exchangeRefresh(deps: SessionDeps, refreshToken: string): Promise<StoredRefresh> {
  const { storage, clock } = deps;
  const { refreshTokens, sessions, users } = storage.tables;
  const hash = credentialDigest(refreshToken);
  const verdict = await storage.transact(async (tx): Promise<StoredRefresh | AppError> => {
    const now = clock.now();
    const [row] = await tx
      .select({ token: refreshTokens, userId: sessions.userId })
      .from(refreshTokens)
      .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(eq(refreshTokens.hash, hash), gt(refreshTokens.expiresAt, now), isNull(sessions.revokedAt)));
    if (row === undefined) return refused();
    const { sessionId } = row.token;
    const claims = { userId: row.userId, sessionId };
    const salt = randomBytes(32).toString("base64url");
    const [rotated] = await tx
      .update(refreshTokens)
      .set({ rotatedAt: now, successor: salt })
      .where(and(eq(refreshTokens.hash, hash), isNull(refreshTokens.rotatedAt)))
      .returning({ hash: refreshTokens.hash });
    if (rotated !== undefined) return storeRefresh(deps, tx, claims, successorOf(refreshToken, salt));
    const again = await successorAgain(tx, deps, refreshToken, now);
    if (again !== undefined) return { claims, refreshToken: again };
    await tx.update(sessions).set({ revokedAt: now }).where(eq(sessions.id, sessionId));
    const reuse = { ownerId: null, actor: "system", action: "session.reuse_revoked", subject: sessionId };
    await writeAudit(deps, tx, now, reuse);
    return refused();
  });
  if (verdict instanceof AppError) throw verdict;
  return verdict;
}

interface NewRefresh {
  refreshToken: string;
  hash: string;
}

/** Makes the first token of a session, of 256 random bits. */
const newRefreshToken = (): NewRefresh => named(randomBytes(32).toString("base64url"));

/** The next token follows from the token and a salt of the database: neither of them alone gives it. */
const successorOf = (refreshToken: string, salt: string): NewRefresh =>
  named(createHmac("sha256", refreshToken).update(salt).digest("base64url"));

const named = (refreshToken: string): NewRefresh => ({ refreshToken, hash: credentialDigest(refreshToken) });

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

/** Returns the successor of a token that was exchanged at most 60 s ago; undefined if the successor was exchanged too. */
async function successorAgain(
  tx: Query,
  { storage: { tables } }: Pick<SessionDeps, "storage">,
  refreshToken: string,
  now: Date,
): Promise<string | undefined> {
  const { refreshTokens } = tables;
  const find = async (hash: string) =>
    (await tx.select().from(refreshTokens).where(eq(refreshTokens.hash, hash)))[0];
  // Read after the failed exchange, which waited for the one that succeeded.
  const { rotatedAt, successor } = (await find(credentialDigest(refreshToken))) ?? {};
  if (!rotatedAt || !successor || now.getTime() - rotatedAt.getTime() > againMs) return undefined;
  const next = successorOf(refreshToken, successor);
  return (await find(next.hash))?.rotatedAt === null ? next.refreshToken : undefined;
}

const refused = () =>
  new AppError(
    "unauthorized",
    "unauthorized",
    "The refresh token is unknown, used, expired or revoked; sign in again.",
  );
