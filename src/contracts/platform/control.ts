import { type Static, Type } from "@sinclair/typebox";

export const OperatorAccount = Type.Object({
  userId: Type.String(),
  email: Type.String(),
  displayName: Type.String(),
});
export type OperatorAccount = Static<typeof OperatorAccount>;

export const OperatorList = Type.Object({ operators: Type.Array(OperatorAccount) });
export type OperatorList = Static<typeof OperatorList>;

export const OperatorInvitation = Type.Object({
  email: Type.String(),
  invited_at: Type.String({ description: "Time of the invitation, ISO 8601 UTC." }),
});
export type OperatorInvitation = Static<typeof OperatorInvitation>;

/** A tenant as the machine's command line finds it by name. */
export const LocalTenant = Type.Object({
  id: Type.String(),
  crName: Type.String(),
  displayName: Type.String(),
  owner: Type.String({ description: "Email address of the tenant's owner." }),
});
export type LocalTenant = Static<typeof LocalTenant>;

export const LocalTenantList = Type.Object({ tenants: Type.Array(LocalTenant) });
export type LocalTenantList = Static<typeof LocalTenantList>;
