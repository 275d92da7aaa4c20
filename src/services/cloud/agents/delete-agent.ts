import { and, asc, eq, gt } from "drizzle-orm";
import { Attempts, type ReadDue, sweepDue } from "../../../control-plane/agents/sweep-agents.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import type { OrgActor } from "../access/credentials.ts";
import { changeBy } from "../audit/change-by.ts";
import type { CloudAgentDeps } from "./deps.ts";
import { keepGate } from "./kept-gates.ts";
import { runtimeIdOf } from "./registrations.ts";
import { getAgent } from "./store.ts";

type ForgetDeps = Pick<CloudAgentDeps, "storage" | "runtime">;

/** Deletes an agent in any state, and its memory; its gate stays for the next of its name. If the runtime is away, the memory is deleted later. */
export async function deleteAgent(deps: CloudAgentDeps, actor: OrgActor, name: string): Promise<void> {
  const { org } = actor;
  const { storage, clock, log } = deps;
  const { agents, retiredAgents, formerNames } = storage.tables;
  const { id } = await storage.transact(async (tx) => {
    const agent = await getAgent(tx, storage.tables, org.id, name);
    await tx.delete(agents).where(and(eq(agents.orgId, org.id), eq(agents.id, agent.id)));
    await tx.delete(formerNames).where(and(eq(formerNames.orgId, org.id), eq(formerNames.agentId, agent.id)));
    await keepGate(tx, storage.tables, agent);
    const runtimeName = runtimeIdOf(org.slug, name);
    await tx
      .insert(retiredAgents)
      .values({ id: agent.id, orgId: org.id, runtimeName, retiredAt: clock.now() });
    await writeAudit(
      deps,
      tx,
      clock.now(),
      changeBy(actor, "agent.delete", name, agent.requires === null ? {} : { requires: agent.requires }),
    );
    return agent;
  });
  await forgetAgent(deps, { id, orgId: org.id, runtimeName: runtimeIdOf(org.slug, name) }).catch(
    (thrown: unknown) => log.warn("agent.not_forgotten", { agent: runtimeIdOf(org.slug, name), err: thrown }),
  );
}

interface SweepDeps extends ForgetDeps, Pick<CloudAgentDeps, "log"> {
  /** Id of this process. */
  owner: string;
}

/** Deletes the memory of agents that could not be forgotten at their deletion. One that fails doesn't hold up the others. */
export async function forgetRetired(deps: SweepDeps, signal?: AbortSignal): Promise<void> {
  const { storage, log, owner } = deps;
  const attempts = new Attempts();
  await sweepDue(storage, retiredAfter(storage), {
    kind: "retired_agent",
    owner,
    log,
    signal,
    keyOf: ({ orgId, id }) => `${orgId}/${id}`,
    work: (row) => attempts.one(() => forgetAgent(deps, row)),
  });
  const { failed, code } = attempts;
  if (failed > 0) log.warn("agent.not_forgotten", { agents: failed, code });
}

/** Deletes the memory of an org's deleted agents. The worker retries those that fail. */
export async function forgetAgentsOf(deps: ForgetDeps, orgId: string): Promise<void> {
  const { read, tables } = deps.storage;
  const { retiredAgents } = tables;
  const rows = await read.select().from(retiredAgents).where(eq(retiredAgents.orgId, orgId));
  for (const row of rows) await forgetAgent(deps, row);
}

interface RetiredAgent {
  id: string;
  orgId: string;
  runtimeName: string;
}

const retiredAfter =
  ({ read, tables: { retiredAgents } }: ForgetDeps["storage"]): ReadDue<RetiredAgent> =>
  (after, limit) =>
    read
      .select()
      .from(retiredAgents)
      .where(gt(retiredAgents.id, after))
      .orderBy(asc(retiredAgents.id))
      .limit(limit);

async function forgetAgent(
  { storage, runtime }: ForgetDeps,
  { id, orgId, runtimeName }: RetiredAgent,
): Promise<void> {
  const { retiredAgents } = storage.tables;
  // Another agent may have the name by now. It keeps its memory, and its next run registers it again.
  await runtime.deregister(runtimeName, id, orgId);
  await storage.transact((tx) =>
    tx.delete(retiredAgents).where(and(eq(retiredAgents.orgId, orgId), eq(retiredAgents.id, id))),
  );
}
