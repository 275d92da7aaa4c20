import { randomBytes } from "node:crypto";
import type { TokenPair } from "../../../contracts/platform/auth.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformDeps } from "../deps.ts";
import { credentialDigest } from "./credential-digest.ts";

const refreshDays = 7;

/** A new session of a person with its first pair of tokens. */
export async function openSession(deps: PlatformDeps, tx: Query, userId: string): Promise<TokenPair> {
  const sessionId = deps.newId();
  const createdAt = deps.clock.now();
  await tx.insert(deps.storage.tables.sessions).values({ id: sessionId, userId, createdAt, revokedAt: null });
  return issuePair(deps, tx, { userId, sessionId });
}

/** The next pair of tokens of a session. */
export async function issuePair(
  { clock, storage, tokens }: PlatformDeps,
  tx: Query,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<TokenPair> {
  const refreshToken = randomBytes(32).toString("base64url");
  const issuedAt = clock.now();
  const expiresAt = new Date(issuedAt.getTime() + refreshDays * 86_400_000);
  const hash = credentialDigest(refreshToken);
  await tx
    .insert(storage.tables.refreshTokens)
    .values({ hash, sessionId, issuedAt, expiresAt, rotatedAt: null });
  return { accessToken: await tokens.issue({ userId, sessionId }), refreshToken };
}
