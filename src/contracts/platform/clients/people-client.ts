import { segment, withQuery } from "../../paths.ts";
import type { OwnSessionList } from "../../sessions.ts";
import type {
  EmailChangeInput,
  EmailChangeRequested,
  PasswordChange,
  PasswordLinkUse,
  Registration,
  SignedIn,
  SignIn,
  TokenPair,
  User,
} from "../auth.ts";
import type { KeyList, NewKey } from "../keys.ts";
import type {
  InvitationInput,
  InvitationList,
  Member,
  MemberList,
  MemberRole,
  NewInvitation,
  OwnTenant,
  OwnTenantList,
} from "../members.ts";
import type { Tenant } from "../tenants.ts";
import type { PlatformCalls } from "./call-platform.ts";

/** Methods for people: signing in, and managing tenants and keys. All except signing in need an access token. */
export function peopleClient({ json }: PlatformCalls) {
  const tenantPath = (id: string) => `/api/v1/tenants/${segment(id)}`;
  return {
    register: (body: Registration) => json<SignedIn>("POST", "/auth/register", { body }),
    login: (body: SignIn) => json<SignedIn>("POST", "/auth/login", { body }),
    /** Returns a new pair. The given token can't be used again. */
    refresh: (refreshToken: string) => json<TokenPair>("POST", "/auth/refresh", { body: { refreshToken } }),
    /** Ends the session with all of its tokens. */
    logout: () => json<unknown>("POST", "/auth/logout"),
    me: () => json<User>("GET", "/api/v1/me"),
    /** Sets the password of a link's account and signs in. */
    usePasswordLink: (body: PasswordLinkUse) => json<SignedIn>("POST", "/auth/password", { body }),
    /** Ends the person's other sessions. */
    changePassword: (body: PasswordChange) => json<unknown>("POST", "/api/v1/me/password", { body }),
    /** Takes effect when the person uses the link that an operator sends to the new address. */
    requestEmail: (body: EmailChangeInput) =>
      json<EmailChangeRequested>("POST", "/api/v1/me/email", { body }),
    confirmEmail: (token: string) => json<User>("POST", "/api/v1/me/email/confirm", { body: { token } }),
    listSessions: () => json<OwnSessionList>("GET", "/api/v1/me/sessions"),
    endSession: (id: string) => json<unknown>("DELETE", `/api/v1/me/sessions/${segment(id)}`),
    /** Ends all sessions but this one. */
    endOtherSessions: () => json<unknown>("DELETE", "/api/v1/me/sessions"),
    /** Throws 409 `last_owner` while the person is the only owner of a tenant. */
    deleteAccount: () => json<unknown>("DELETE", "/api/v1/me"),

    listTenants: () => json<OwnTenantList>("GET", "/api/v1/tenants"),
    createTenant: (displayName: string) => json<Tenant>("POST", "/api/v1/tenants", { body: { displayName } }),
    renameTenant: (id: string, displayName: string) =>
      json<Tenant>("PATCH", tenantPath(id), { body: { displayName } }),
    deleteTenant: (id: string) => json<unknown>("DELETE", tenantPath(id)),
    listKeys: (id: string) => json<KeyList>("GET", `${tenantPath(id)}/keys`),
    /** The key is returned only here. */
    createKey: (id: string, label: string, expires_at?: string, role?: MemberRole) =>
      json<NewKey>("POST", `${tenantPath(id)}/keys`, {
        body: { label, ...(expires_at && { expires_at }), ...(role && { role }) },
      }),
    revokeKey: (id: string, hash: string) =>
      json<unknown>("DELETE", `${tenantPath(id)}/keys/${segment(hash)}`),

    listMembers: (id: string) => json<MemberList>("GET", `${tenantPath(id)}/members`),
    changeRole: (id: string, userId: string, role: MemberRole) =>
      json<Member>("PATCH", `${tenantPath(id)}/members/${segment(userId)}`, { body: { role } }),
    /** With the caller's own id, leaves the tenant. The keys that the person made are revoked unless `keepKeys` is true. */
    removeMember: (id: string, userId: string, { keepKeys = false }: { keepKeys?: boolean } = {}) =>
      json<unknown>(
        "DELETE",
        withQuery(`${tenantPath(id)}/members/${segment(userId)}`, { ...(keepKeys && { keep_keys: "true" }) }),
      ),
    listInvitations: (id: string) => json<InvitationList>("GET", `${tenantPath(id)}/invitations`),
    /** The token is returned only here. */
    inviteMember: (id: string, body: InvitationInput) =>
      json<NewInvitation>("POST", `${tenantPath(id)}/invitations`, { body }),
    withdrawInvitation: (id: string, invitationId: string) =>
      json<unknown>("DELETE", `${tenantPath(id)}/invitations/${segment(invitationId)}`),
    acceptInvitation: (token: string) =>
      json<OwnTenant>("POST", "/api/v1/invitations/accept", { body: { token } }),
  };
}
