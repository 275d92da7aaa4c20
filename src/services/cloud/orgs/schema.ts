import type { MemberRole } from "../../../contracts/cloud/orgs.ts";
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
      createdAt: instant("created_at").notNull(),
    },
    (org) => [unique("orgs_slug").on(org.slug)],
  ),
  /** Members; a row without `joinedAt` is an invitation. */
  members: table(
    "members",
    {
      id: id("id").primaryKey(),
      orgId: id("org_id").notNull(),
      /** In lower case. */
      email: text("email").notNull(),
      /** Null until the person accepts. */
      userId: id("user_id"),
      role: text("role").$type<MemberRole>().notNull(),
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
