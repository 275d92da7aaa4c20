import { Elysia } from "elysia";
import type { MemberRole } from "../../../contracts/platform/members.ts";
import { neededRoles, type TenantRight } from "../../../contracts/platform/tenant-rights.ts";
import type { Call, Peer } from "../../../http/call.ts";
import { createBearerCheck } from "../../../http/front-door/front-door.ts";
import {
  documented,
  type HookFacts,
  type Parameter,
  type SecurityNeed,
} from "../../../http/openapi/documented-hook.ts";
import { callContext } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { CredentialDeps } from "./deps.ts";
import { findKeyOwner, findPerson, findTokenOwner, type Person } from "./find-actor.ts";
import { requireRight, requireTenantRight } from "./tenant-role.ts";

/** Person or key that acts for a tenant. */
export interface TenantActor {
  tenantId: string;
  /** `user:` and the person's id, `key:` and the key's hash, or `cli`. */
  author: string;
  /** The role of the person or the key; absent for a key that may do everything. */
  role?: MemberRole;
}

/** An operator. */
export interface Operator {
  /** `user:` and the person's id, `token`, or `cli` for the command line on the machine itself. */
  actor: string;
}

/** An agent during a run. */
export interface RunActor {
  tenantId: string;
  invocationId: string;
  reach: Record<string, unknown>;
}

/** A tenant's API key, or a person's token with the tenant's id. */
export const tenantSecurity: readonly SecurityNeed[] = [{ apiKey: [] }, { bearer: [] }];

export const tenantHeader: Parameter = {
  name: "X-Tenant-ID",
  in: "header",
  required: false,
  description: "ID of the tenant. Required with an access token. An API key already identifies its tenant.",
  schema: { type: "string" },
};

/** What tenants' routes require of requests. */
export const tenantFacts: HookFacts = { security: tenantSecurity, parameters: [tenantHeader] };

/** Guard for people's routes; puts `person` into the context. Throws 401 for all other credentials, including API keys. */
export const personCredential = (deps: CredentialDeps) =>
  new Elysia({ name: "person-credential" }).derive(
    { as: "scoped" },
    documented(
      async ({ request }: { request: Request }) => ({ person: await requirePerson(deps, request.headers) }),
      {
        security: [{ bearer: [] }],
      },
    ),
  );

/** Like `personCredential`, for the few routes that stay open to a person whose password an operator set. */
export const expiredCredential = (deps: CredentialDeps) =>
  new Elysia({ name: "expired-credential" }).derive(
    { as: "scoped" },
    documented(
      async ({ request }: { request: Request }) => ({ person: await findCaller(deps, request.headers) }),
      {
        security: [{ bearer: [] }],
      },
    ),
  );

/**
 * Guard for tenants' routes; puts `tenant` into the context, from a key, or from a person's token and `X-Tenant-ID`. A viewer may read; for
 * requests that change or use something, a person needs the right `writes`.
 */
export const tenantCredential = (deps: CredentialDeps, writes: TenantRight) =>
  new Elysia({ name: `tenant-credential-${neededRoles[writes]}` }).use(callContext()).derive(
    { as: "scoped" },
    documented(
      async (context: { request: Request; call: Call }) => ({
        tenant: await requireTenantCaller(deps, context, writes),
      }),
      tenantFacts,
    ),
  );

/** The tenant of a request. A person needs the right `writes` unless it only reads. */
export const requireTenantCaller = (
  deps: CredentialDeps,
  { request, call }: { request: Request; call: Call },
  writes: TenantRight,
): Promise<TenantActor> => requireTenant(deps, request, call.peer, isRead(request) ? "read" : writes);

/** Headers by which `requireTenant` finds an actor. */
const tenantHeaders = ["x-api-key", "authorization", "x-tenant-id"] as const;

/** The credential of a request, so that it can be checked again later: it may be revoked in the meantime. */
export interface TenantProof {
  headers: Record<string, string>;
  peer: Peer;
}

export const tenantProofOf = ({ headers }: Request, peer: Peer): TenantProof => ({
  headers: Object.fromEntries(
    tenantHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  ),
  peer,
});

/** Guard for operators' routes; puts `operator` into the context. */
export const operatorCredential = (deps: CredentialDeps) =>
  new Elysia({ name: "operator-credential" }).use(callContext()).derive(
    { as: "scoped" },
    documented(
      async ({ request, call }: { request: Request; call: Call }) => ({
        operator: await requireOperator(deps, request.headers, call.peer),
      }),
      { security: [{ operatorToken: [] }, { bearer: [] }] },
    ),
  );

/** Guard for the only route that accepts run tokens; puts `run` into the context. */
export const runCredential = (deps: CredentialDeps) =>
  new Elysia({ name: "run-credential" }).derive(
    { as: "scoped" },
    documented(
      async ({ request }: { request: Request }) => ({ run: await requireRun(deps, request.headers) }),
      {
        security: [{ bearer: [] }],
      },
    ),
  );

async function requirePerson(deps: CredentialDeps, headers: Headers): Promise<Person> {
  const person = await findCaller(deps, headers);
  requireOwnPassword(person);
  return person;
}

/** Throws 403 `password_expired` to a person who still has the password that an operator set. */
function requireOwnPassword({ isExpired }: Person): void {
  if (isExpired !== true) return;
  throw new AppError(
    "forbidden",
    "password_expired",
    "An operator set your password. Choose one of your own before you go on.",
    { details: { hint: "POST /api/v1/me/password, or `argosy platform account password`." } },
  );
}

async function findCaller(deps: CredentialDeps, headers: Headers): Promise<Person> {
  const token = bearerOf(headers);
  const claims = token === undefined ? undefined : await deps.tokens.verify(token);
  const person = claims && (await findPerson(deps.storage, claims));
  if (person !== undefined) return person;
  throw unauthorized(
    "This request needs an access token.",
    "Sign in at /auth/login; send `Authorization: Bearer …`.",
  );
}

const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

/** Resolves the credential to an actor and its tenant. A person needs the right there. A request may have only one credential, so its owner is unambiguous. */
export async function requireTenant(
  deps: CredentialDeps,
  { headers }: Pick<Request, "headers">,
  peer: Peer,
  right: TenantRight,
): Promise<TenantActor> {
  const key = headers.get("x-api-key");
  if (key !== null) {
    if (headers.has("authorization"))
      throw unauthorized("Send one credential: an API key or an access token.");
    const owner = await findKeyOwner(deps.storage, key, deps.clock.now());
    const named = headers.get("x-tenant-id");
    if (owner === undefined || (named !== null && named !== owner.tenantId)) {
      throw unauthorized("The API key is unknown, revoked or expired, or belongs to another tenant.");
    }
    deps.keyUses.note(owner.hash);
    const actor = { tenantId: owner.tenantId, author: `key:${owner.hash}` };
    if (owner.role === null) return actor;
    requireRight(owner.role, right);
    return { ...actor, role: owner.role };
  }
  const isOwner = isMachineOwner(headers, peer);
  const person = isOwner ? machineOwner : await requirePerson(deps, headers);
  const tenantId = headers.get("x-tenant-id");
  if (tenantId === null || tenantId === "") {
    throw new AppError(
      "invalid",
      "tenant_required",
      "The header X-Tenant-ID is missing. Set it to the tenant's id.",
    );
  }
  const { read, tables } = deps.storage;
  const { role } = await requireTenantRight(read, tables, person, { tenantId, right });
  return { tenantId, author: isOwner ? "cli" : `user:${person.userId}`, role };
}

/** Returns the operator of a request. All other callers get the same documented 401. */
export async function requireOperator(
  deps: CredentialDeps,
  headers: Headers,
  peer: Peer = "network",
): Promise<Operator> {
  if (isMachineOwner(headers, peer)) return { actor: "cli" };
  const sent = headers.get("x-operator-token");
  if (
    sent !== null &&
    deps.operatorToken !== undefined &&
    createBearerCheck(deps.operatorToken)(`Bearer ${sent}`)
  ) {
    return { actor: "token" };
  }
  const token = bearerOf(headers);
  const claims = sent !== null || token === undefined ? undefined : await deps.tokens.verify(token);
  const person = claims && (await findPerson(deps.storage, claims));
  if (person?.role === "operator") {
    requireOwnPassword(person);
    return { actor: `user:${person.userId}` };
  }
  throw unauthorized("This request needs an operator's credential.");
}

/**
 * Returns true if the request came through the control socket without a credential. A user with access to that socket could also read and
 * write the database, so they count as an operator without an account.
 */
function isMachineOwner(headers: Headers, peer: Peer): boolean {
  const names = ["x-api-key", "authorization", "x-operator-token"];
  return peer === "control" && !names.some((name) => headers.has(name));
}

const machineOwner: Person = { userId: "", role: "operator", sessionId: "" };

async function requireRun(deps: CredentialDeps, headers: Headers): Promise<RunActor> {
  const token = bearerOf(headers);
  const run = token && (await findTokenOwner(deps.storage, token, deps.clock.now()));
  if (run) return run;
  throw unauthorized("This request needs the token of a run in progress.");
}

function bearerOf(headers: Headers): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

function unauthorized(message: string, hint?: string): AppError {
  return new AppError(
    "unauthorized",
    "unauthorized",
    message,
    hint === undefined ? {} : { details: { hint } },
  );
}
