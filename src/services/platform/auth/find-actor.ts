import { and, eq, gt, isNull } from "drizzle-orm";
import { equalsBound } from "../../../storage/equals-bound.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery, Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { AccessClaims } from "./access-tokens.ts";
import { credentialDigest } from "./credential-digest.ts";
import type { UserRole } from "./schema.ts";

type Platform = Storage<PlatformTables>;

/** A person with a session in force. */
export interface Person {
  userId: string;
  role: UserRole;
  sessionId: string;
}

/** Undefined when the session has ended. */
export async function findPerson(
  { read, tables: { users, sessions } }: Platform,
  { userId, sessionId }: AccessClaims,
): Promise<Person | undefined> {
  const [row] = await read
    .select({ userId: users.id, role: users.role })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, sessionId), eq(users.id, userId), isNull(sessions.revokedAt)));
  return row && { ...row, sessionId };
}

/** The tenant of a key in force, and the key's hash. */
export async function findKeyOwner(
  { read, tables }: Platform,
  key: string,
): Promise<{ tenantId: string; hash: string } | undefined> {
  const [row] = await keyOwner(read, tables).execute({ hash: credentialDigest(key) });
  return row;
}

/** Prepared: it comes before everything that a program asks. */
const keyOwner = statement((query: ReadQuery, { apiKeys, tenants }: PlatformTables) =>
  query
    .select({ tenantId: apiKeys.tenantId, hash: apiKeys.hash })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(and(equalsBound(apiKeys.hash, "hash"), isNull(apiKeys.revokedAt), isNull(tenants.deletedAt)))
    .prepare("key_owner"),
);

/** Whether the tenant lives and the person may act for it: its owner, or an operator. */
export async function mayActFor(
  { read, tables: { tenants } }: Platform,
  { userId, role }: Person,
  tenantId: string,
): Promise<boolean> {
  const [row] = await read
    .select({ userId: tenants.userId })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
  return row !== undefined && (row.userId === userId || role === "operator");
}

/** The run that a run token belongs to. */
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
