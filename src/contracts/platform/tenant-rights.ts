import { type MemberRole, memberRoles } from "./members.ts";

/**
 * The least role that people need for each kind of request in a tenant. `read` is every request that only reads; the others name what a request
 * changes or uses. The platform checks this table, and the console hides what it refuses.
 */
export const neededRoles = {
  read: "viewer",
  desk: "desk",
  agents: "member",
  approvals: "member",
  documents: "member",
  evals: "member",
  feedback: "member",
  messages: "member",
  runs: "member",
  usageEvents: "member",
  connections: "admin",
  gates: "admin",
  keys: "admin",
  members: "admin",
  releaseOverride: "admin",
  tenantName: "admin",
  webhooks: "admin",
  owners: "owner",
  tenantDeletion: "owner",
} as const satisfies Record<string, MemberRole>;
export type TenantRight = keyof typeof neededRoles;

/** Returns true if `role` includes what `needed` may do. */
export const includesRole = (role: MemberRole, needed: MemberRole): boolean =>
  memberRoles.indexOf(role) >= memberRoles.indexOf(needed);

/** Returns true if a person with that role in a tenant has the right. */
export const hasRight = (role: MemberRole, right: TenantRight): boolean =>
  includesRole(role, neededRoles[right]);
