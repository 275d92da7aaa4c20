import { type Static, Type } from "@sinclair/typebox";
import { ShownName } from "../platform/shown-name.ts";

export const OrgLimits = Type.Object({
  max_agents: Type.Integer(),
  requests_per_day: Type.Integer(),
  max_members: Type.Integer(),
  max_storage_bytes: Type.Optional(
    Type.Integer({ description: "Bytes of everything that the org stores; absent: no limit." }),
  ),
});
export type OrgLimits = Static<typeof OrgLimits>;

export const Org = Type.Object({
  slug: Type.String(),
  display_name: Type.String(),
  plan: Type.String(),
  limits: OrgLimits,
});
export type Org = Static<typeof Org>;

export const OrgChange = Type.Object({ display_name: ShownName(255) }, { additionalProperties: false });
export type OrgChange = Static<typeof OrgChange>;

export const OrgInput = Type.Object({ display_name: ShownName(255) }, { additionalProperties: false });
export type OrgInput = Static<typeof OrgInput>;

/** Owners may do everything; admins manage members, keys and providers. The creator is the first owner. An API key acts as a member. */
export const OrgMemberRole = Type.Union([
  Type.Literal("owner"),
  Type.Literal("admin"),
  Type.Literal("member"),
]);
export type OrgMemberRole = Static<typeof OrgMemberRole>;

/** An org of the caller. */
export const OwnOrg = Type.Composite([
  Org,
  Type.Object({
    role: Type.Union([...OrgMemberRole.anyOf, Type.Literal("key")], {
      description: "The caller's role: `owner`, `admin`, `member`, or `key` for an API key.",
    }),
  }),
]);
export type OwnOrg = Static<typeof OwnOrg>;

export const OrgList = Type.Object({
  orgs: Type.Array(OwnOrg),
  email: Type.Optional(Type.String({ description: "The caller's e-mail address; absent for an API key." })),
});
export type OrgList = Static<typeof OrgList>;

export const OrgMember = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String({ description: "Empty until the invited person signs in." }),
  role: OrgMemberRole,
  status: Type.Union([Type.Literal("invited"), Type.Literal("active")]),
  joined_at: Type.Union([Type.String(), Type.Null()]),
});
export type OrgMember = Static<typeof OrgMember>;

export const OrgMemberList = Type.Object({ members: Type.Array(OrgMember) });
export type OrgMemberList = Static<typeof OrgMemberList>;

export const InviteInput = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 320 }),
    role: Type.Union([Type.Literal("admin"), Type.Literal("member")]),
  },
  { additionalProperties: false },
);
export type InviteInput = Static<typeof InviteInput>;

export const MemberChange = Type.Object({ role: OrgMemberRole }, { additionalProperties: false });
export type MemberChange = Static<typeof MemberChange>;

export const OrgInvited = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: OrgMemberRole,
  status: Type.Literal("invited"),
  invited_at: Type.String(),
});
export type OrgInvited = Static<typeof OrgInvited>;

/** An invitation as the invited person sees it. */
export const OrgInvitation = Type.Object({
  id: Type.String(),
  org_slug: Type.String(),
  org_name: Type.String(),
  role: OrgMemberRole,
  invited_at: Type.String(),
  expires_at: Type.String({ description: "7 days after `invited_at`." }),
});
export type OrgInvitation = Static<typeof OrgInvitation>;

export const OrgInvitationList = Type.Object({ invitations: Type.Array(OrgInvitation) });
export type OrgInvitationList = Static<typeof OrgInvitationList>;
