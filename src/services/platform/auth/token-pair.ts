import { randomBytes } from "node:crypto";
import type { TokenPair } from "../../../contracts/platform/auth.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import type { Query } from "../../../storage/storage.ts";
import type { StoreDeps } from "../tables.ts";
import type { AccessClaims } from "./access-tokens.ts";
import type { AuthDeps } from "./deps.ts";

const refreshDays = 7;

/** A stored refresh token, and the person and session that it belongs to. */
export interface StoredRefresh {
  claims: AccessClaims;
  refreshToken: string;
}

/** Creates a session for a person with its first refresh token. */
export async function openSession(deps: AuthDeps, tx: Query, userId: string): Promise<StoredRefresh> {
  const sessionId = deps.newId();
  const createdAt = deps.clock.now();
  await tx.insert(deps.storage.tables.sessions).values({ id: sessionId, userId, createdAt, revokedAt: null });
  return storeRefresh(deps, tx, { userId, sessionId }, newRefreshToken());
}

/** A refresh token that is not stored yet. */
export interface RefreshToken {
  refreshToken: string;
  hash: string;
}

/** 256 random bits. */
export function newRefreshToken(): RefreshToken {
  const refreshToken = randomBytes(32).toString("base64url");
  return { refreshToken, hash: credentialDigest(refreshToken) };
}

/** Stores the next refresh token of a session. */
export async function storeRefresh(
  { clock, storage }: StoreDeps,
  tx: Query,
  claims: AccessClaims,
  { refreshToken, hash }: RefreshToken,
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

/** Creates the pair for the caller. Signs after the transaction, which waits only for the database. */
export async function pairOf(
  { tokens }: AuthDeps,
  { claims, refreshToken }: StoredRefresh,
): Promise<TokenPair> {
  return { accessToken: await tokens.issue(claims), refreshToken };
}
