import { type Static, Type } from "@sinclair/typebox";
import { Tenant } from "./tenants.ts";

/** Roles from the least to the most. Each may do what those before it may. */
export const memberRoles = ["viewer", "desk", "member", "admin", "owner"] as const;
export type MemberRole = (typeof memberRoles)[number];

export const MemberRole = Type.Union(
  [
    Type.Literal("viewer"),
    Type.Literal("desk"),
    Type.Literal("member"),
    Type.Literal("admin"),
    Type.Literal("owner"),
  ],
  {
    description:
      "`viewer` reads; `desk` also answers the tenant's conversations in the gateway; `member` also changes agents and documents, and runs agents; `admin` also manages members, keys, connections and the tenant's name; `owner` may do everything.",
  },
);

export const Member = Type.Object({
  user_id: Type.String(),
  email: Type.String(),
  display_name: Type.String(),
  role: MemberRole,
  joined_at: Type.String({ description: "ISO 8601 UTC." }),
});
export type Member = Static<typeof Member>;

export const MemberList = Type.Object({ members: Type.Array(Member) });
export type MemberList = Static<typeof MemberList>;

export const RoleInput = Type.Object({ role: MemberRole }, { additionalProperties: false });
export type RoleInput = Static<typeof RoleInput>;

/** Whether the keys that a removed person made stay. */
export const RemoveQuery = Type.Object({
  keep_keys: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` keeps the API keys that the person made. Default: they are revoked.",
    }),
  ),
});

export const InvitationInput = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 254 }), role: MemberRole },
  { additionalProperties: false },
);
export type InvitationInput = Static<typeof InvitationInput>;

export const Invitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: MemberRole,
  invited_at: Type.String({ description: "ISO 8601 UTC." }),
  expires_at: Type.String({ description: "ISO 8601 UTC." }),
});
export type Invitation = Static<typeof Invitation>;

/** Returned once; only the token's hash is stored. */
export const NewInvitation = Type.Composite([
  Invitation,
  Type.Object({ token: Type.String({ description: "The invited person joins with it, once." }) }),
]);
export type NewInvitation = Static<typeof NewInvitation>;

export const InvitationList = Type.Object({ invitations: Type.Array(Invitation) });
export type InvitationList = Static<typeof InvitationList>;

export const AcceptInput = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 128 }) },
  { additionalProperties: false },
);
export type AcceptInput = Static<typeof AcceptInput>;

/** Whom a credential of a tenant belongs to. */
export const Actor = Type.Object({
  tenant_id: Type.String(),
  tenant_name: Type.String(),
  role: Type.Union([MemberRole, Type.Null()], { description: "Null: a key that may do everything." }),
  person: Type.Union(
    [Type.Object({ id: Type.String(), email: Type.String(), display_name: Type.String() }), Type.Null()],
    { description: "Null: a key, or the machine's owner." },
  ),
});
export type Actor = Static<typeof Actor>;

/** A tenant, and the person's role in it. */
export const OwnTenant = Type.Composite([Tenant, Type.Object({ role: MemberRole })]);
export type OwnTenant = Static<typeof OwnTenant>;

export const OwnTenantList = Type.Object({ tenants: Type.Array(OwnTenant) });
export type OwnTenantList = Static<typeof OwnTenantList>;
