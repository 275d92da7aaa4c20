import { Elysia } from "elysia";
import type { OrgLimits, OrgMemberRole } from "../../../contracts/cloud/orgs.ts";
import type { Call, Peer } from "../../../http/call.ts";
import { documented, type SecurityNeed } from "../../../http/openapi/documented-hook.ts";
import { callContext } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AccessDeps } from "./deps.ts";
import {
  findKeyOwner,
  findMembership,
  findOrg,
  findSession,
  type KeyOwner,
  type OrgRow,
} from "./find-actor.ts";
import { limitsOf } from "./plans.ts";

/** A credential as it was sent. It is checked again for each query of a stream. */
export type Proof = { by: "token"; token: string } | { by: "key"; key: string } | { by: "machine" };

/** The person, key or machine owner that acts for an org. */
export interface OrgActor {
  org: OrgRow;
  limits: OrgLimits;
  /** A key may do what a member may. */
  role: OrgMemberRole | "key";
  /** Id of the person; empty for a key and for the machine's owner. */
  userId: string;
  /** Id of the key; undefined for people and the machine's owner. */
  keyId?: string;
  proof: Proof;
  /** Request in which the actor acts, for the audit log. */
  requestId?: string;
}

/** A signed-in person. */
export interface CloudPerson {
  userId: string;
  sessionId: string;
}

export const orgSecurity: readonly SecurityNeed[] = [{ apiKey: [] }, { bearer: [] }];

/** Guard for an org's routes; puts `actor` into the context. Their paths have `:slug`. */
export const orgCredential = (deps: AccessDeps) =>
  new Elysia({ name: "cloud-org-credential" }).use(callContext()).derive(
    { as: "scoped" },
    documented(
      async (context: { request: Request; call: Call; params: object }) => ({
        actor: await requireOrgCaller(deps, context),
      }),
      { security: orgSecurity },
    ),
  );

/** The actor of a request whose path has `:slug`. */
export async function requireOrgCaller(
  deps: AccessDeps,
  { request, call, params }: { request: Request; call: Call; params: object },
): Promise<OrgActor> {
  const actor = await requireActor(deps, proofOf(request.headers, call.peer), slugOf(params));
  return { ...actor, requestId: call.requestId };
}

/** Guard for people's routes; puts `person` into the context. */
export const personCredential = (deps: AccessDeps) =>
  new Elysia({ name: "cloud-person-credential" }).derive(
    { as: "scoped" },
    documented(
      async ({ request }: { request: Request }) => ({
        person: await requirePerson(deps, proofOf(request.headers)),
      }),
      { security: [{ bearer: [] }] },
    ),
  );

const slugOf = (params: object): string => ("slug" in params ? String(params.slug) : "");

/** Returns the credential of a request. `queryToken` is the documented one of a stream's URL. */
export function proofOf(headers: Headers, peer: Peer = "network", queryToken?: string): Proof {
  const key = headers.get("x-api-key");
  const authorization = headers.get("authorization");
  const sent = [key, authorization, queryToken].filter((one) => one !== null && one !== undefined);
  if (sent.length > 1) throw unauthorized("Send one credential: an API key or an access token.");
  if (key !== null) return { by: "key", key };
  const token = queryToken ?? /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (token !== undefined) return { by: "token", token };
  if (authorization === null && peer === "control") return { by: "machine" };
  throw unauthorized(
    "This request needs a credential. Send `Authorization: Bearer …` with an access token, or `X-API-Key`.",
  );
}

/** Resolves a credential to an actor of the org with this slug: 401 if it is not valid, 403 for any other org. */
export async function requireActor(deps: AccessDeps, proof: Proof, slug: string): Promise<OrgActor> {
  if (proof.by === "key") return keyActor(deps, proof, await findKeyOwner(deps.storage, proof.key), slug);
  if (proof.by === "machine") {
    const org = await findOrg(deps.storage.read, deps.storage.tables, slug);
    if (org === undefined) throw new AppError("not_found", "not_found", `There is no org ${slug}.`);
    return actorOf(deps, org, "owner", proof);
  }
  const { userId } = await requirePerson(deps, proof);
  const membership = await findMembership(deps.storage, userId, slug);
  if (membership === undefined) throw otherOrg();
  return { ...actorOf(deps, membership, membership.role, proof), userId };
}

/** Returns the org of an active key, and notes the key's use. */
export async function requireKeyOwner(deps: AccessDeps, key: string): Promise<KeyOwner> {
  return usedKey(deps, await findKeyOwner(deps.storage, key));
}

/** Returns the actor of a key whose owner was looked for: 401 if there is none, 403 for an owner with another slug. */
export function keyActor(
  deps: AccessDeps,
  proof: Proof,
  keyOwner: KeyOwner | undefined,
  slug: string,
): OrgActor {
  const owner = usedKey(deps, keyOwner);
  if (owner.slug !== slug) throw otherOrg();
  return { ...actorOf(deps, owner, "key", proof), keyId: owner.keyId };
}

function usedKey(deps: AccessDeps, owner: KeyOwner | undefined): KeyOwner {
  if (owner === undefined) throw unauthorized("The API key is unknown or revoked.");
  if (owner.expiresAt !== null && owner.expiresAt <= deps.clock.now())
    throw unauthorized("The API key has expired.");
  deps.keyUses.note(owner.hash);
  return owner;
}

/** Returns the person of an access token. An API key is refused with 403. */
export async function requirePerson(deps: AccessDeps, proof: Proof): Promise<CloudPerson> {
  if (proof.by === "key") {
    await requireKeyOwner(deps, proof.key);
    throw jwtRequired();
  }
  const claims = proof.by === "token" ? await deps.tokens.verify(proof.token) : undefined;
  const session = claims && (await findSession(deps.storage, claims));
  if (claims !== undefined && session !== undefined) {
    return { userId: session.userId, sessionId: claims.sessionId };
  }
  throw unauthorized("The access token is not valid, or its session has ended. Sign in again.");
}

/** Refuses keys and members: only owners and admins manage an org. */
export function requireManager({ role }: OrgActor): void {
  if (role === "key") throw jwtRequired();
  if (role === "owner" || role === "admin") return;
  throw new AppError("forbidden", "forbidden", "Only owners and admins of the org may do this.");
}

/** Refuses all but owners. */
export function requireOwner(actor: OrgActor): void {
  requireManager(actor);
  if (actor.role === "owner") return;
  throw new AppError("forbidden", "forbidden", "Only owners of the org may do this.");
}

function actorOf(
  { plans }: AccessDeps,
  { id, slug, displayName, plan }: OrgRow,
  role: OrgActor["role"],
  proof: Proof,
): OrgActor {
  return { org: { id, slug, displayName, plan }, limits: limitsOf(plans, plan), role, userId: "", proof };
}

export const otherOrg = () =>
  new AppError("forbidden", "forbidden", "The credential is valid, but not for this org.");

const jwtRequired = () =>
  new AppError("forbidden", "jwt_required", "An API key may not do this. Send the access token of a person.");

const unauthorized = (message: string) => new AppError("unauthorized", "unauthorized", message);
