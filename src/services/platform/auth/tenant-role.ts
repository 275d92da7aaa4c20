import { and, eq, isNull, sql } from "drizzle-orm";
import type { MemberRole } from "../../../contracts/platform/members.ts";
import { includesRole, neededRoles, type TenantRight } from "../../../contracts/platform/tenant-rights.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { UserRole } from "./schema.ts";

/** Throws 403 `role_required` if the role does not have the right. */
export function requireRight(role: MemberRole, right: TenantRight): void {
  const needed = neededRoles[right];
  if (includesRole(role, needed)) return;
  throw new AppError(
    "forbidden",
    "role_required",
    `Your role in this tenant is ${role}; this request needs the role ${needed}.`,
    { details: { hint: "Ask an owner or admin of the tenant to change your role." } },
  );
}

/** A tenant as a person reaches it. */
export interface ReachedTenant {
  tenant: PlatformTables["tenants"]["$inferSelect"];
  /** What the person may do: the role of its member, or `owner` for an operator. */
  role: MemberRole;
  /** True for an operator who is not an owner of the tenant, and for an admin, member or viewer. */
  isForeign: boolean;
}

/** Returns undefined if the tenant is deleted or unknown, or the person is neither a member nor an operator. */
export async function reachTenant(
  query: ReadQuery,
  { tenants, tenantMembers }: PlatformTables,
  person: { userId: string; role: UserRole },
  tenantId: string,
): Promise<ReachedTenant | undefined> {
  const [row] = await query
    .select({ tenant: tenants, memberRole: tenantMembers.role })
    .from(tenants)
    .leftJoin(
      tenantMembers,
      and(eq(tenantMembers.tenantId, tenants.id), eq(tenantMembers.userId, person.userId)),
    )
    .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
  if (row === undefined) return undefined;
  const { tenant, memberRole } = row;
  const role = person.role === "operator" ? "owner" : memberRole;
  return role === null ? undefined : { tenant, role, isForeign: memberRole !== "owner" };
}

/** Returns the tenant. Throws 404 if the person does not reach it, and 403 `role_required` if their role does not have the right. */
export async function requireTenantRight(
  query: ReadQuery,
  tables: PlatformTables,
  person: { userId: string; role: UserRole },
  { tenantId, right }: { tenantId: string; right: TenantRight },
): Promise<ReachedTenant> {
  const reached = await reachTenant(query, tables, person, tenantId);
  if (reached === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  requireRight(reached.role, right);
  return reached;
}

/** Id of a tenant's first owner, for joins with `tenants`. */
export const firstOwner = ({ tenants, tenantMembers }: PlatformTables) =>
  sql<string>`(select ${tenantMembers.userId} from ${tenantMembers} where ${tenantMembers.tenantId} = ${tenants.id} and ${tenantMembers.role} = 'owner' order by ${tenantMembers.joinedAt}, ${tenantMembers.userId} limit 1)`;
