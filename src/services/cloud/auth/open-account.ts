import { and, eq } from "drizzle-orm";
import type { CloudTokens } from "../../../contracts/cloud/auth.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { openSession, type StoredRefresh } from "../../../control-plane/sessions/refresh-tokens.ts";
import type { SessionSource } from "../../../control-plane/sessions/session-source.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import { listMemberships } from "../access/find-actor.ts";
import { hasOrg } from "../members/store.ts";
import { createOrg, mayCreateOrg } from "../orgs/create-org.ts";
import { accessTokenSeconds, type CloudAuthDeps } from "./deps.ts";
import type { SignInSource } from "./schema.ts";

/** A person as an identity provider or the development login describes them. */
export interface KnownPerson {
  source: SignInSource;
  /** The provider's id of the account; undefined for the development login. */
  subject: string | undefined;
  /** In lower case; verified unless `source` is `dev`. */
  email: string;
  name: string;
}

/**
 * Signs a person in, and creates the account at the first time. A person without any org gets one of their own, invited or not: they join
 * another only by accepting.
 */
export async function openAccount(
  deps: CloudAuthDeps,
  person: KnownPerson,
  source: SessionSource = { client: null, address: null },
): Promise<CloudTokens> {
  const { storage } = deps;
  const { tables } = storage;
  const opened = await storage.transact(async (tx) => {
    const { isNew, ...user } = await accountOf(deps, tx, person);
    // A new person has nothing to be counted: on PostgreSQL, counting would collide with everyone else's first sign-in.
    if (isNew || (!(await hasOrg(tx, tables, user.id)) && (await mayCreateOrg(deps, tx, user.id))))
      await createOrg(deps, tx, user, { displayName: user.name, slugFrom: user.email });
    await writeAudit(deps, tx, deps.clock.now(), {
      ownerId: null,
      actor: `user:${user.id}`,
      action: "session.sign_in",
      detail: { source: person.source },
    });
    return openSession(deps, tx, user.id, source);
  });
  return tokensOf(deps, opened);
}

/** Creates the tokens for the caller. Signs after the transaction, which waits only for the database. */
export async function tokensOf(
  deps: CloudAuthDeps,
  { claims, refreshToken }: StoredRefresh,
): Promise<CloudTokens> {
  const [first] = await listMemberships(deps.storage, claims.userId);
  return {
    access_token: await deps.tokens.issue(claims),
    token_type: "bearer",
    expires_in: accessTokenSeconds,
    org_slug: first?.slug ?? "",
    refresh_token: refreshToken,
  };
}

async function accountOf(
  { storage, clock, newId }: CloudAuthDeps,
  tx: Query,
  { source, subject, email, name }: KnownPerson,
) {
  const { users, identities } = storage.tables;
  const columns = { id: users.id, email: users.email, name: users.name, source: users.source };
  if (subject !== undefined) {
    const [linked] = await tx
      .select(columns)
      .from(identities)
      .innerJoin(users, eq(users.id, identities.userId))
      .where(and(eq(identities.source, source), eq(identities.subject, subject)));
    if (linked !== undefined) return { ...linked, isNew: false };
  }
  const [known] = await tx.select(columns).from(users).where(eq(users.email, email));
  // An address of the development login was never verified, so it proves nothing about its owner.
  if (known !== undefined && (known.source === "dev") !== (source === "dev")) throw otherSource();
  const now = clock.now();
  const user = known ?? { id: newId(), email, name, source };
  if (known === undefined) await tx.insert(users).values({ ...user, createdAt: now });
  if (subject !== undefined)
    await tx.insert(identities).values({ source, subject, userId: user.id, linkedAt: now });
  return { ...user, isNew: known === undefined };
}

const otherSource = () =>
  new AppError(
    "forbidden",
    "forbidden",
    "An account with this e-mail address exists, but it belongs to another way to sign in.",
  );
