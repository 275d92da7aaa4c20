import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { CloudStorage, CloudTables } from "../tables.ts";

/** An org as every request needs it. */
export interface OrgRow {
  id: string;
  slug: string;
  displayName: string;
  plan: string;
}

/** Returns the id of a person whose session has not ended. */
export async function findSession(
  { read, tables }: CloudStorage,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<{ userId: string } | undefined> {
  const [row] = await activeSession(read, tables).execute({ sessionId });
  return row?.userId === userId ? row : undefined;
}

const activeSession = statement((query: ReadQuery, { sessions }: CloudTables) =>
  query
    .select({ userId: sessions.userId })
    .from(sessions)
    .where(and(equalsBound(sessions.id, "sessionId"), isNull(sessions.revokedAt)))
    .prepare("cloud_active_session"),
);

/** Returns the org with this slug and the person's role in it; undefined if the person has not joined it. */
export async function findMembership({ read, tables }: CloudStorage, userId: string, slug: string) {
  const [row] = await membership(read, tables).execute({ userId, slug });
  return row;
}

const membership = statement((query: ReadQuery, { orgs, members }: CloudTables) =>
  query
    .select({ ...orgColumns(orgs), role: members.role })
    .from(members)
    .innerJoin(orgs, eq(orgs.id, members.orgId))
    .where(
      and(equalsBound(members.userId, "userId"), equalsBound(orgs.slug, "slug"), isNotNull(members.joinedAt)),
    )
    .prepare("cloud_membership"),
);

/** Orgs of a person, the one first joined first. */
export async function listMemberships({ read, tables: { orgs, members } }: CloudStorage, userId: string) {
  return read
    .select({ ...orgColumns(orgs), role: members.role })
    .from(members)
    .innerJoin(orgs, eq(orgs.id, members.orgId))
    .where(and(eq(members.userId, userId), isNotNull(members.joinedAt)))
    .orderBy(asc(members.joinedAt), asc(members.id));
}

/** The org of an active key, and the key's id and hash. */
export interface KeyOwner extends OrgRow {
  keyId: string;
  hash: string;
  expiresAt: Date | null;
}

export async function findKeyOwner(
  { read, tables }: CloudStorage,
  key: string,
): Promise<KeyOwner | undefined> {
  const [row] = await keyOwner(read, tables).execute({ hash: credentialDigest(key) });
  return row;
}

const keyOwner = statement((query: ReadQuery, { apiKeys, orgs }: CloudTables) =>
  query
    .select(keyOwnerColumns(apiKeys, orgs))
    .from(apiKeys)
    .innerJoin(orgs, eq(orgs.id, apiKeys.orgId))
    .where(and(equalsBound(apiKeys.hash, "hash"), isNull(apiKeys.revokedAt)))
    .prepare("cloud_key_owner"),
);

/** Returns the org with this slug. */
export async function findOrg(
  query: ReadQuery,
  { orgs }: CloudTables,
  slug: string,
): Promise<OrgRow | undefined> {
  const [row] = await query.select(orgColumns(orgs)).from(orgs).where(eq(orgs.slug, slug));
  return row;
}

/** Columns of a `KeyOwner`. */
export const keyOwnerColumns = (apiKeys: CloudTables["apiKeys"], orgs: CloudTables["orgs"]) => ({
  ...orgColumns(orgs),
  keyId: apiKeys.id,
  hash: apiKeys.hash,
  expiresAt: apiKeys.expiresAt,
});

const orgColumns = ({ id, slug, displayName, plan }: CloudTables["orgs"]) => ({
  id,
  slug,
  displayName,
  plan,
});
