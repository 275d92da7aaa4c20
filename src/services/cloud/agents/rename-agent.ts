import { and, eq, sql } from "drizzle-orm";
import type { CloudAgent } from "../../../contracts/cloud/agents.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { renameEvalAgent } from "../../../evals/hosted/rename-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import type { Query } from "../../../storage/storage.ts";
import { type OrgActor, requireManager } from "../access/credentials.ts";
import { lockFor } from "../access/lock-org.ts";
import { changeBy } from "../audit/change-by.ts";
import type { CloudTables } from "../tables.ts";
import type { CloudAgentDeps } from "./deps.ts";
import { freeName } from "./former-names.ts";
import { keepGate, takeGate } from "./kept-gates.ts";
import { presentAgent } from "./present-agent.ts";
import { registerAgent, runtimeIdOf } from "./registrations.ts";
import { agentNames, changeAgent, getAgent, type OrgAgentRow } from "./store.ts";
import { compileManifest } from "./wizard/compile-manifest.ts";
import { changedMeanwhile, laterThan } from "./write-agent.ts";

/** Dependencies of the routes that rename agents. */
export interface RenameDeps extends CloudAgentDeps {
  runUsage: { flush(): Promise<void> };
}

/**
 * Gives an agent another name. Its memory, usage, evals and their runs stay with it, and its former name tells the new one. A deployed agent
 * goes on under the new name; runs that have begun end. A gate binds both names from then on, so only owners and admins rename an agent with
 * a gate, or to a name with one. Throws 409 `agent_exists`.
 */
export async function renameAgent(
  deps: RenameDeps,
  caller: OrgActor,
  from: string,
  to: string,
): Promise<CloudAgent> {
  const { storage, clock, runtime, log } = deps;
  const { tables, read, transact } = storage;
  const { id: orgId, slug } = caller.org;
  const agent = await getAgent(read, tables, orgId, from);
  const renamed = { ...agent, ...versionNamed(agent, to), name: to };
  // Tokens of runs that have ended are stored under the former name.
  await deps.runUsage.flush();
  const changed = await transact(async (tx) => {
    const actor = await lockFor(tx, tables, caller);
    const known = await agentNames(tx, tables, orgId);
    if (known.some(({ name }) => name === to))
      throw new AppError("conflict", "agent_exists", `An agent named ${to} already exists.`);
    const now = clock.now();
    const gate = await gateOf(tx, tables, agent, to);
    if (gate.requires !== null) requireManager(actor);
    const row = await changeAgent(tx, tables, agent, [agent.status], {
      name: to,
      spec: renamed.spec,
      checksum: renamed.checksum,
      releasedChecksum: renamed.releasedChecksum,
      requires: gate.requires,
      updatedAt: laterThan(agent.updatedAt, now),
    });
    if (row === undefined) throw changedMeanwhile(from);
    await keepGate(tx, tables, agent);
    await freeName(tx, tables, orgId, to);
    await tx.insert(tables.formerNames).values({ orgId, name: from, agentId: agent.id, renamedAt: now });
    const checksum = { from: checksumAs(agent), to: checksumAs(renamed) };
    await renameEvalAgent(tx, tables, { ownerId: orgId, from, to, checksum });
    await moveUsage(tx, tables, { orgId, from, to });
    await writeAudit(deps, tx, now, changeBy(actor, "agent.rename", to, { from, to }));
    return row;
  });
  if (changed.status === "deployed") {
    // Otherwise, its first run registers it.
    await registerAgent(runtime, { ...changed, slug }).catch((thrown: unknown) => {
      log.warn("agent.not_registered", { agent: runtimeIdOf(slug, to), err: thrown });
    });
  }
  await runtime.unload(runtimeIdOf(slug, from)).catch((thrown: unknown) => {
    log.warn("agent.not_unloaded", { agent: runtimeIdOf(slug, from), err: thrown });
  });
  return presentAgent(slug, changed);
}

/** The compiled version with the new name, which a manifest has too. */
function versionNamed(
  { spec, checksum, releasedChecksum }: OrgAgentRow,
  name: string,
): Pick<OrgAgentRow, "spec" | "checksum" | "releasedChecksum"> {
  if (spec === null) return { spec, checksum, releasedChecksum };
  const named = { ...spec, metadata: { ...(spec.metadata as object), name } };
  const digest = checksumOf(named);
  return {
    spec: named,
    checksum: digest,
    releasedChecksum: releasedChecksum === checksum ? digest : releasedChecksum,
  };
}

/** Digest of an agent as evals ask it. */
const checksumAs = (agent: OrgAgentRow): string => agent.checksum ?? checksumOf(compileManifest(agent));

/** The gate of an agent, with what a deleted agent of the new name has left. */
async function gateOf(
  tx: Query,
  tables: CloudTables,
  agent: OrgAgentRow,
  to: string,
): Promise<Pick<OrgAgentRow, "requires">> {
  const left = await takeGate(tx, tables, agent.orgId, to);
  const own = agent.requires ?? [];
  const further = (left.requires ?? []).filter((one) => !own.some(({ eval: name }) => name === one.eval));
  const requires = [...own, ...further];
  return { requires: requires.length === 0 ? null : requires };
}

/** Adds the usage under the former name to that under the new one, which a deleted agent may have left. */
async function moveUsage(
  tx: Query,
  { agentUsage, usageCosts: costs }: CloudTables,
  { orgId, from, to }: { orgId: string; from: string; to: string },
): Promise<void> {
  const moved = await tx
    .delete(agentUsage)
    .where(and(eq(agentUsage.orgId, orgId), eq(agentUsage.agent, from)))
    .returning();
  for (const row of moved)
    await tx
      .insert(agentUsage)
      .values({ ...row, agent: to })
      .onConflictDoUpdate({
        target: [agentUsage.orgId, agentUsage.day, agentUsage.agent],
        set: {
          requests: sql`${agentUsage.requests} + excluded.requests`,
          tokens: sql`${agentUsage.tokens} + excluded.tokens`,
        },
      });
  const movedCosts = await tx
    .delete(costs)
    .where(and(eq(costs.orgId, orgId), eq(costs.agent, from)))
    .returning();
  for (const row of movedCosts)
    await tx
      .insert(costs)
      .values({ ...row, agent: to })
      .onConflictDoUpdate({
        target: [costs.orgId, costs.day, costs.agent, costs.caller, costs.provider, costs.model],
        set: {
          requests: sql`${costs.requests} + excluded.requests`,
          uses: sql`${costs.uses} + excluded.uses`,
          tokens: sql`${costs.tokens} + excluded.tokens`,
          costMicros: sql`${costs.costMicros} + excluded.cost_micros`,
          unpricedTokens: sql`${costs.unpricedTokens} + excluded.unpriced_tokens`,
        },
      });
}
