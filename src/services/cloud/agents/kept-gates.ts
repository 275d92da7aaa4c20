import { and, eq, isNotNull } from "drizzle-orm";
import { type GatesOf, gatesByEval } from "../../../evals/hosted/eval-store.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { CloudTables } from "../tables.ts";
import type { OrgAgentRow } from "./store.ts";

/*
 * The gate of an agent belongs to its name: a deleted agent leaves it to the next one, so that deleting and creating an agent is no way round
 * its gate.
 */

type Gate = Pick<OrgAgentRow, "requires" | "releasedChecksum">;

/** Keeps the gate of an agent that is deleted, if it has one. */
export async function keepGate(
  tx: Query,
  { keptGates }: CloudTables,
  { orgId, name, requires, releasedChecksum }: OrgAgentRow,
): Promise<void> {
  if (requires === null) return;
  await tx
    .insert(keptGates)
    .values({ orgId, name, requires, releasedChecksum })
    .onConflictDoUpdate({
      target: [keptGates.orgId, keptGates.name],
      set: { requires, releasedChecksum },
    });
}

/** Takes the gate that a deleted agent of the name has left. */
export async function takeGate(
  tx: Query,
  { keptGates }: CloudTables,
  orgId: string,
  name: string,
): Promise<Gate> {
  const [gate] = await tx
    .delete(keptGates)
    .where(and(eq(keptGates.orgId, orgId), eq(keptGates.name, name)))
    .returning();
  return { requires: gate?.requires ?? null, releasedChecksum: gate?.releasedChecksum ?? null };
}

/** Agents whose gates require each eval of an org, deleted ones included. */
export async function gatesOfOrg(
  query: ReadQuery,
  { agents, keptGates }: CloudTables,
  orgId: string,
): Promise<GatesOf> {
  const live = await query
    .select({ name: agents.name, requires: agents.requires })
    .from(agents)
    .where(and(eq(agents.orgId, orgId), isNotNull(agents.requires)));
  const left = await query
    .select({ name: keptGates.name, requires: keptGates.requires })
    .from(keptGates)
    .where(eq(keptGates.orgId, orgId));
  return gatesByEval([...live, ...left]);
}
