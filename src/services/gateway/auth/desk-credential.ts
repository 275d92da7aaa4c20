import { Elysia } from "elysia";
import { personAtDesk } from "../../../contracts/gateway/desk.ts";
import type { Actor, MemberRole } from "../../../contracts/platform/members.ts";
import { includesRole, neededRoles } from "../../../contracts/platform/tenant-rights.ts";
import { documented } from "../../../http/openapi/documented-hook.ts";
import { callContext } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { actorIn } from "./acting-for.ts";
import { requireAdmin } from "./credentials.ts";

/** Someone who works on conversations: an operator, or a person or program of a tenant. */
export interface DeskActor {
  /** The only tenant that they see; undefined for an operator, who sees all. */
  tenantId: string | undefined;
  /** Name under which they act; null if nobody is named. */
  person: string | null;
  /** Null for operators, and for keys that may do everything in their tenant. */
  role: MemberRole | null;
}

/** A credential of the platform: a tenant's API key, or a person's access token with the tenant's id. */
export interface MemberCredential {
  apiKey?: string;
  authorization?: string;
  tenantId?: string;
}

/** The people and keys of tenants, as the platform knows them. */
export interface TenantMembers {
  /** Throws the platform's refusal. */
  find(credential: MemberCredential, signal: AbortSignal): Promise<Actor>;
}

/** What the routes of the desk need to know who calls. */
export interface DeskDoor {
  adminToken: string;
  members: TenantMembers;
}

/**
 * Guard for the routes of the desk; puts `desk` into the context. Operators pass with their token, and people and keys of a tenant with the
 * platform's credential if they have the role.
 */
export const deskCredential = (door: DeskDoor) =>
  new Elysia({ name: "gateway-desk-credential" }).use(callContext()).derive(
    { as: "scoped" },
    documented(async ({ request }: { request: Request }) => ({ desk: await requireDesk(door, request) }), {
      security: [{ gatewayAdminToken: [] }, { apiKey: [] }, { bearer: [] }],
      parameters: [
        {
          name: "X-Tenant-ID",
          in: "header",
          required: false,
          description: "ID of the tenant. Required with a person's access token.",
          schema: { type: "string" },
        },
      ],
    }),
  );

/** Throws 401 without a valid credential, 403 for a role that is not enough, and 404 for a tenant that isn't the person's. */
export async function requireDesk(
  { adminToken, members }: DeskDoor,
  { headers, signal }: Request,
): Promise<DeskActor> {
  const credential = memberCredentialIn(headers);
  if (credential === undefined || headers.has("x-admin-token")) {
    requireAdmin(headers, adminToken);
    return { tenantId: undefined, person: actorIn(headers), role: null };
  }
  const { tenant_id: tenantId, role, person } = await members.find(credential, signal);
  requireRole({ role }, neededRoles.desk);
  const named = actorIn(headers);
  if (person === null) return { tenantId, person: named, role };
  const own = personAtDesk({ person }) ?? person.id;
  if (named === null || named === own) return { tenantId, person: own, role };
  throw new AppError(
    "invalid",
    "invalid_request",
    "X-Acting-For is for programs: you act under your own name.",
  );
}

/** Throws 403 for a role that is not enough. */
export function requireRole({ role }: Pick<DeskActor, "role">, needed: MemberRole): void {
  if (role === null || includesRole(role, needed)) return;
  throw new AppError(
    "forbidden",
    "role_required",
    `Your role in this tenant is ${role}; this request needs the role ${needed}.`,
  );
}

function memberCredentialIn(headers: Headers): MemberCredential | undefined {
  const [apiKey, authorization] = [headers.get("x-api-key"), headers.get("authorization")];
  if (apiKey === null && authorization === null) return undefined;
  const tenantId = headers.get("x-tenant-id");
  return {
    ...(apiKey !== null && { apiKey }),
    ...(authorization !== null && { authorization }),
    ...(tenantId !== null && { tenantId }),
  };
}

/** The tenant that a request is about: the actor's own; for operators, the one they name. Throws 404 for another's. */
export function deskTenant<Asked extends string | undefined>(
  { tenantId }: DeskActor,
  asked: Asked,
): Asked | string {
  if (tenantId === undefined || asked === tenantId) return asked;
  if (asked === undefined) return tenantId;
  throw new AppError("not_found", "not_found", `There is no tenant ${asked}.`);
}
