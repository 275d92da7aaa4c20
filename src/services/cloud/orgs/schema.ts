import type { OrgMemberRole } from "../../../contracts/cloud/orgs.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Orgs, their members and open invitations. */
export const orgTables = ({ table, id, text, instant, index, unique }: Columns) => ({
  orgs: table(
    "orgs",
    {
      id: id("id").primaryKey(),
      /** Contains no `_` and is never reused. */
      slug: id("slug").notNull(),
      displayName: text("display_name").notNull(),
      plan: text("plan").notNull(),
      /** Person whose limit of orgs counts it; null for orgs of earlier versions. */
      createdBy: id("created_by"),
      createdAt: instant("created_at").notNull(),
    },
    (org) => [unique("orgs_slug").on(org.slug), index("orgs_created_by").on(org.createdBy)],
  ),
  /** Deleted orgs: their slugs, and whose limit counts them until their month ends. */
  retiredOrgs: table(
    "retired_orgs",
    {
      id: id("id").primaryKey(),
      slug: id("slug").notNull(),
      createdBy: id("created_by"),
      deletedAt: instant("deleted_at").notNull(),
    },
    (org) => [
      unique("retired_orgs_slug").on(org.slug),
      index("retired_orgs_created_by").on(org.createdBy),
      index("retired_orgs_age").on(org.deletedAt),
    ],
  ),
  /** Members; a row without `joinedAt` is an invitation, which expires 7 days after `invitedAt`. */
  members: table(
    "members",
    {
      id: id("id").primaryKey(),
      orgId: id("org_id").notNull(),
      /** In lower case. */
      email: text("email").notNull(),
      /** Null until the person accepts. */
      userId: id("user_id"),
      role: text("role").$type<OrgMemberRole>().notNull(),
      /** Person who invited them: invitations end with the membership of their sender. Null for the machine's owner. */
      invitedBy: id("invited_by"),
      invitedAt: instant("invited_at").notNull(),
      joinedAt: instant("joined_at"),
    },
    (member) => [
      unique("members_email").on(member.orgId, member.email),
      index("members_user").on(member.userId, member.joinedAt),
      index("members_invited").on(member.email),
    ],
  ),
});
