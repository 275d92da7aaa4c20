import { and, eq, gt, isNull } from "drizzle-orm";
import type { MemberRole } from "../../../contracts/platform/members.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { ReadQuery, Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { AccessClaims } from "./access-tokens.ts";
import type { UserRole } from "./schema.ts";

type Platform = Storage<PlatformTables>;

/** A person with an active session. */
export interface Person {
  userId: string;
  role: UserRole;
  sessionId: string;
  /** True if an operator set the password, which must be changed before anything else. */
  isExpired?: boolean;
}

/** Returns undefined if the session has ended. */
export async function findPerson(
  { read, tables: { users, sessions } }: Platform,
  { userId, sessionId }: AccessClaims,
): Promise<Person | undefined> {
  const [row] = await read
    .select({ userId: users.id, role: users.role, passwordExpiredAt: users.passwordExpiredAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.id, sessionId),
        eq(users.id, userId),
        isNull(users.deletedAt),
        isNull(sessions.revokedAt),
      ),
    );
  return (
    row && {
      userId: row.userId,
      role: row.role,
      sessionId,
      ...(row.passwordExpiredAt !== null && { isExpired: true }),
    }
  );
}

/** Returns the tenant of an active key, the key's hash and its role. */
export async function findKeyOwner(
  { read, tables }: Platform,
  key: string,
  now: Date,
): Promise<{ tenantId: string; hash: string; role: MemberRole | null } | undefined> {
  const [row] = await keyOwner(read, tables).execute({ hash: credentialDigest(key) });
  return row === undefined || (row.expiresAt !== null && row.expiresAt <= now) ? undefined : row;
}

/** Prepared, because it precedes every request with a key. */
const keyOwner = statement((query: ReadQuery, { apiKeys, tenants }: PlatformTables) =>
  query
    .select({
      tenantId: apiKeys.tenantId,
      hash: apiKeys.hash,
      expiresAt: apiKeys.expiresAt,
      role: apiKeys.role,
    })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(and(equalsBound(apiKeys.hash, "hash"), isNull(apiKeys.revokedAt), isNull(tenants.deletedAt)))
    .prepare("key_owner"),
);

/** Returns the run that a run token belongs to. */
export async function findTokenOwner(
  { read, tables: { runTokens } }: Platform,
  token: string,
  now: Date,
): Promise<{ tenantId: string; invocationId: string; reach: Record<string, unknown> } | undefined> {
  const [row] = await read
    .select({ tenantId: runTokens.tenantId, invocationId: runTokens.invocationId, reach: runTokens.reach })
    .from(runTokens)
    .where(and(eq(runTokens.hash, credentialDigest(token)), gt(runTokens.expiresAt, now)));
  return row;
}
