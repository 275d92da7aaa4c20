import { and, eq, isNotNull } from "drizzle-orm";
import { hasRight } from "../../../contracts/platform/tenant-rights.ts";
import type { Requirement } from "../../../evals/gate/judge-requirement.ts";
import { covers, isSame } from "../../../evals/gate/requirements.ts";
import { type GatesOf, gatesByEval } from "../../../evals/hosted/eval-store.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { PlatformTables } from "../tables.ts";
import type { AgentRow } from "./store.ts";

/*
 * The gate of an agent belongs to its name, not to a version: `agents.requires` holds what every version must pass. A version of an owner,
 * an admin or a key replaces it by its own `spec.release`; one of a member is held to it and can't change it. A deleted agent keeps its gate
 * for the next of its name.
 */

/** What a new version of a name must pass, and the version that it is compared with. */
export interface StandingGate {
  requires: readonly Requirement[];
  /** Checksum of the version in service, or of the last one of a deleted agent; undefined if there was none. */
  before: string | undefined;
  /** True if that version is in service. */
  isLive: boolean;
}

/** The gate of a live agent. */
export async function gateOf(tx: ReadQuery, tables: PlatformTables, agent: AgentRow): Promise<StandingGate> {
  return {
    requires: filled(agent.requires),
    before: await checksumIn(tx, tables, agent),
    isLive: true,
  };
}

/** Takes the gate that a deleted agent has left to the next of its name. */
export async function inheritGate(
  tx: Query,
  tables: PlatformTables,
  tenantId: string,
  name: string,
): Promise<StandingGate> {
  const { agents } = tables;
  const left = and(eq(agents.tenantId, tenantId), eq(agents.name, name), isNotNull(agents.requires));
  const [agent] = await tx.select().from(agents).where(left);
  if (agent === undefined) return { requires: [], before: undefined, isLive: false };
  await tx.update(agents).set({ requires: null }).where(left);
  return {
    requires: filled(agent.requires),
    before: await checksumIn(tx, tables, agent),
    isLive: false,
  };
}

/** Gate of the name after a version with the requirements `own`. Throws 403 `role_required` for a member's that differ from it. */
export function nextGate(
  role: TenantActor["role"],
  name: string,
  { requires }: StandingGate,
  own: readonly Requirement[],
): readonly Requirement[] {
  if (role === undefined || hasRight(role, "gates")) return own;
  const isKept = own.length === 0 || (covers(requires, own) && covers(own, requires));
  if (isKept) return requires;
  throw new AppError(
    "forbidden",
    "role_required",
    `Your role in this tenant is ${role}. Only owners and admins may change what the release gate of ${name} requires.`,
    { details: { hint: "Leave `spec.release` out, or send it as the gate is." } },
  );
}

export const isSameGate = (one: readonly Requirement[], other: readonly Requirement[]) =>
  isSame(sorted(one), sorted(other));

/** Agents whose gates require each eval of a tenant, deleted ones included. */
export async function gatesOfTenant(
  query: ReadQuery,
  { agents }: PlatformTables,
  tenantId: string,
): Promise<GatesOf> {
  const { name, requires } = agents;
  return gatesByEval(
    await query
      .select({ name, requires })
      .from(agents)
      .where(and(eq(agents.tenantId, tenantId), isNotNull(requires))),
  );
}

/** Gates that an earlier release stored in the manifest alone may lack the values by default. */
const filled = (requires: readonly Partial<Requirement>[] | null): Requirement[] =>
  (requires ?? []).map(({ eval: name = "", min_score = 1, no_regressions = false }) => ({
    eval: name,
    min_score,
    no_regressions,
  }));

const sorted = (requires: readonly Requirement[]) =>
  requires.toSorted((one, other) => (one.eval < other.eval ? -1 : 1));

async function checksumIn(
  query: ReadQuery,
  { agentVersions }: PlatformTables,
  { tenantId, id, currentVersion }: AgentRow,
): Promise<string | undefined> {
  const [version] = await query
    .select({ checksum: agentVersions.checksum })
    .from(agentVersions)
    .where(
      and(
        eq(agentVersions.tenantId, tenantId),
        eq(agentVersions.agentId, id),
        eq(agentVersions.number, currentVersion),
      ),
    );
  return version?.checksum;
}
