import type { MemberRole } from "../../../contracts/platform/members.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** People of tenants, and invitations to them. */
export const memberTables = ({ table, id, text, instant, index, unique, primaryKey }: Columns) => ({
  tenantMembers: table(
    "tenant_members",
    {
      tenantId: id("tenant_id").notNull(),
      userId: id("user_id").notNull(),
      role: text("role").$type<MemberRole>().notNull(),
      joinedAt: instant("joined_at").notNull(),
    },
    (member) => [
      primaryKey({ columns: [member.tenantId, member.userId] }),
      index("tenant_members_user").on(member.userId),
    ],
  ),
  /** A row exists until the invitation is accepted or withdrawn. */
  tenantInvitations: table(
    "tenant_invitations",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      /** In lower case. */
      email: id("email").notNull(),
      role: text("role").$type<MemberRole>().notNull(),
      /** SHA-256 of the token, in hex. */
      tokenHash: id("token_hash").notNull(),
      invitedBy: id("invited_by").notNull(),
      invitedAt: instant("invited_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
    },
    (invitation) => [
      unique("tenant_invitations_token").on(invitation.tokenHash),
      unique("tenant_invitations_email").on(invitation.tenantId, invitation.email),
    ],
  ),
});
