import { and, eq, gte, like, or } from "drizzle-orm";
import { firstFreeName } from "../../../contracts/free-name.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import { normalized } from "../../../kit/text/normalize.ts";
import { monthOf, startOfMonth } from "../../../kit/utc-calendar.ts";
import type { Query } from "../../../storage/storage.ts";
import type { OrgRow } from "../access/find-actor.ts";
import { freePlan } from "../access/plans.ts";
import type { CloudStoreDeps } from "../tables.ts";

/**
 * Maximum number of orgs that a person may have created. A deleted org counts until its UTC month ends, because each org begins with a day of
 * runs, which could otherwise be renewed by deleting and creating orgs.
 */
const orgsMax = 5;

const slugLengthMax = 40;
/** Letters of a slug that stay in front of any number. */
const uncut = slugLengthMax - 12;
/** `/orgs/me` is a route. */
const reserved: ReadonlySet<string> = new Set(["me"]);
/** Namespaces of the runs of evals in the runtime: `e-` and a UUID. A number behind eight digits would make the same form. */
const reservedBeginning = /^e-[0-9a-f]{8}(?:-|$)/;

/** Returns true if the person may create an org. */
export async function mayCreateOrg(
  { storage, clock }: CloudStoreDeps,
  tx: Query,
  userId: string,
): Promise<boolean> {
  const { orgs, retiredOrgs } = storage.tables;
  const month = startOfMonth(monthOf(clock.now()));
  const live = await tx.$count(orgs, eq(orgs.createdBy, userId));
  const deleted = await tx.$count(
    retiredOrgs,
    and(eq(retiredOrgs.createdBy, userId), gte(retiredOrgs.deletedAt, month)),
  );
  return live + deleted < orgsMax;
}

/** A new org: its display name, and the text from which its slug is derived, as `slugOf` takes it. */
interface NewOrg {
  displayName: string;
  slugFrom: string;
}

/** Creates an org with this person as its owner, who may have one more: `mayCreateOrg`. */
export async function createOrg(
  deps: CloudStoreDeps,
  tx: Query,
  { id: userId, email }: { id: string; email: string },
  { displayName, slugFrom }: NewOrg,
): Promise<OrgRow> {
  const { storage, clock, newId } = deps;
  const { orgs, retiredOrgs, members } = storage.tables;
  const now = clock.now();
  const base = slugOf(slugFrom);
  const begins = base.length > uncut ? `${base.slice(0, uncut)}%` : `${base}-%`;
  // The slug of a deleted org is never given again.
  const taken = new Set<string>();
  for (const table of [orgs, retiredOrgs]) {
    const isNear = or(eq(table.slug, base), like(table.slug, begins));
    for (const near of await tx.select({ slug: table.slug }).from(table).where(isNear)) taken.add(near.slug);
  }
  const slug = freeSlug(base, taken);
  const org = { id: newId(), slug, displayName, plan: freePlan };
  const { id } = org;
  await tx.insert(orgs).values({ ...org, createdBy: userId, createdAt: now });
  await tx.insert(members).values({
    id: newId(),
    orgId: id,
    email,
    userId,
    role: "owner",
    invitedBy: null,
    invitedAt: now,
    joinedAt: now,
  });
  const entry = { ownerId: id, actor: `user:${userId}`, action: "org.create", subject: slug };
  await writeAudit(deps, tx, now, entry);
  return org;
}

export const tooManyOrgs = () =>
  new AppError(
    "conflict",
    "org_limit_reached",
    `A person may create ${orgsMax} orgs; one deleted in this month counts until its end (UTC). Delete an org, or join one by an invitation.`,
  );

/** Derives a slug from the local part of an e-mail address: 2 to 40 of `a-z`, `0-9` and hyphens, of no reserved form. */
export function slugOf(email: string): string {
  const local = email.slice(0, email.lastIndexOf("@"));
  const plain = normalized(local, "NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, slugLengthMax)
    .replace(/^-|-$/g, "");
  if (plain === "") return "org";
  return plain.length < 2 ? `org-${plain}` : unreserved(plain);
}

/** Puts `org-` before a reserved beginning, which a number at the end would not change. */
const unreserved = (slug: string) =>
  reservedBeginning.test(slug) ? cut(`org-${slug}`, slugLengthMax) : slug;

const cut = (slug: string, lengthMax: number) => slug.slice(0, lengthMax).replace(/-$/, "");

/** Returns the slug, or the first of `-2`, `-3` … that is free and not reserved. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  const base = unreserved(slug);
  const spell = (number: number) => {
    const suffix = number === 1 ? "" : `-${number}`;
    return `${suffix === "" ? base : cut(base, slugLengthMax - suffix.length)}${suffix}`;
  };
  return firstFreeName(spell, (slug) => taken.has(slug) || isReserved(slug), taken.size + reserved.size);
}

/** Returns true for slugs that no org may have. */
export const isReserved = (slug: string): boolean => reserved.has(slug) || reservedBeginning.test(slug);
