import { eq, like, or } from "drizzle-orm";
import type { Query } from "../../../storage/storage.ts";
import { freePlan } from "../access/plans.ts";
import { writeAudit } from "../audit/write-audit.ts";
import type { StoreDeps } from "../tables.ts";

const slugLengthMax = 40;
/** `/orgs/me` is a route. */
const reserved: ReadonlySet<string> = new Set(["me"]);
/** Namespaces of the runs of evals in the runtime: `e-` and a UUID. */
const evalNamespace = /^e-[0-9a-f]{8}-/;

/** Creates an org with this person as its owner, and returns its slug. */
export async function createOrg(
  deps: StoreDeps,
  tx: Query,
  { id: userId, email, name }: { id: string; email: string; name: string },
): Promise<string> {
  const { storage, clock, newId } = deps;
  const { orgs, members } = storage.tables;
  const now = clock.now();
  const base = slugOf(email);
  const taken = await tx
    .select({ slug: orgs.slug })
    .from(orgs)
    .where(or(eq(orgs.slug, base), like(orgs.slug, `${base.slice(0, slugLengthMax - 12)}%`)));
  const slug = freeSlug(base, new Set(taken.map((org) => org.slug)));
  const id = newId();
  await tx.insert(orgs).values({ id, slug, displayName: name, plan: freePlan, createdAt: now });
  await tx
    .insert(members)
    .values({ id: newId(), orgId: id, email, userId, role: "owner", invitedAt: now, joinedAt: now });
  const entry = { orgId: id, actor: `user:${userId}`, action: "org.create", subject: slug };
  await writeAudit(deps, tx, now, entry);
  return slug;
}

/** Derives a slug from the local part of an e-mail address: 2 to 40 of `a-z`, `0-9` and hyphens. */
export function slugOf(email: string): string {
  const local = email.slice(0, email.lastIndexOf("@"));
  const plain = local
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, slugLengthMax)
    .replace(/^-|-$/g, "");
  if (plain.length >= 2) return plain;
  return plain === "" ? "org" : `org-${plain}`;
}

/** Returns the slug, or the first of `-2`, `-3` … that is free. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  const isFree = (slug: string) => !taken.has(slug) && !reserved.has(slug) && !evalNamespace.test(slug);
  if (isFree(base)) return base;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const slug = `${base.slice(0, slugLengthMax - suffix.length).replace(/-$/, "")}${suffix}`;
    if (isFree(slug)) return slug;
  }
}
