import { and, eq } from "drizzle-orm";
import type { PlatformAgentDetail } from "../../../contracts/platform/agents.ts";
import { entityTag, type RequireMatch } from "../../../http/entity-tag.ts";
import { AppError } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import { linksOf } from "../../../manifest/agent/check-chains.ts";
import { refusedManifest } from "../../../manifest/fault.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { basePlan, currentPlan } from "../plans/plan-in-force.ts";
import { findSubscription } from "../subscriptions/find-subscription.ts";
import { isCancelled, type SubscriptionRow } from "../subscriptions/schema.ts";
import type { PlatformTables } from "../tables.ts";
import { linkProblems } from "./check-links.ts";
import type { AgentDeps } from "./deps.ts";
import { dropOldVersions } from "./drop-old-versions.ts";
import { presentAgentDetail } from "./present-agent.ts";
import type { SentSpec } from "./read-spec.ts";
import { noteRefusal, type PublishDeps, requireReleased } from "./release-gate.ts";
import { gateOf, inheritGate } from "./standing-gate.ts";
import { type AgentRow, countAgents, findAgent, insertAgent } from "./store.ts";

/** Choices of a change. */
export interface AgentChange {
  /** Absent: the agent keeps its subscription. Null: its runs are charged to the base plan only. */
  subscriptionId?: string | null | undefined;
  /** Reason to publish a version that its release gate refuses. */
  releaseOverride?: string | undefined;
  /** Words about what has changed. */
  note?: string | undefined;
  /** Refuses if the agent has changed since the caller read it. */
  match?: RequireMatch;
}

/**
 * Stores a spec as version 1 of a new agent. Throws 409 if a live agent of the tenant has the name or a plan allows no more agents, 422
 * `release_refused` if it hasn't passed the evals that it requires.
 */
export async function createAgent(
  deps: PublishDeps,
  tenant: TenantActor,
  sent: SentSpec,
  { subscriptionId, releaseOverride, note }: AgentChange = {},
): Promise<PlatformAgentDetail> {
  const { storage, clock, newId } = deps;
  const { tables } = storage;
  const { tenantId } = tenant;
  await requireRunnable(deps, tenantId, sent);
  return publish(deps, tenant, sent, async (tx) => {
    const now = clock.now();
    const subscription = await chosen(tx, tables, { tenantId, subscriptionId, now });
    const { maxActiveAgents } = await basePlan(tx, tables, tenantId, now);
    requireRoom("The plan", await countAgents(tx, tables, tenantId), maxActiveAgents);
    if (subscription !== undefined) await requireRoomIn(tx, tables, subscription, now);
    if ((await findAgent(tx, tables, tenantId, sent.name)) !== undefined) throw agentExists(sent.name);
    await requireSoundLinks(tx, tables, tenantId, sent);
    const standing = await inheritGate(tx, tables, tenantId, sent.name);
    const requires = await requireReleased(deps, tx, tenant, sent, { standing, override: releaseOverride });
    const agent = await insertAgent(tx, tables, {
      tenantId,
      id: newId(),
      name: sent.name,
      subscriptionId: subscriptionId ?? null,
      links: linksOf(sent.manifest),
      requires,
      createdAt: now,
    });
    if (agent === undefined) throw agentExists(sent.name);
    await appendVersion(tx, tables, { agent, number: 1, spec: sent.spec, author: tenant.author, note, now });
    return presentAgentDetail(agent, sent.spec);
  });
}

/** ETag of an agent; each change of it adds a version. */
export const agentTag = ({ id, currentVersion }: Pick<AgentRow, "id" | "currentVersion">) =>
  entityTag([id, currentVersion]);

/**
 * Adds a version and makes it current. Throws 409 `agent_limit_reached` if the plan of another subscription allows no more agents, 422
 * `release_refused` if it hasn't passed the evals that it or the current one requires.
 */
export async function replaceAgent(
  deps: PublishDeps,
  tenant: TenantActor,
  name: string,
  sent: SentSpec,
  { subscriptionId, releaseOverride, note, match = () => {} }: AgentChange = {},
): Promise<PlatformAgentDetail> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { agents } = tables;
  const { tenantId } = tenant;
  match(agentTag(await getAgent(storage.read, tables, tenantId, name)));
  if (sent.name !== name) {
    const problem = { path: "metadata.name", message: `must be ${name}: an agent keeps its name` };
    throw refusedManifest([sent.place(problem)]);
  }
  await requireRunnable(deps, tenantId, sent);
  return publish(deps, tenant, sent, async (tx) => {
    const now = clock.now();
    const subscription = await chosen(tx, tables, { tenantId, subscriptionId, now });
    const present = await getAgent(tx, tables, tenantId, name);
    match(agentTag(present));
    if (subscription !== undefined && subscription.id !== present.subscriptionId) {
      await requireRoomIn(tx, tables, subscription, now);
    }
    const { id, currentVersion } = present;
    await requireSoundLinks(tx, tables, tenantId, sent);
    const standing = await gateOf(tx, tables, present);
    const requires = await requireReleased(deps, tx, tenant, sent, { standing, override: releaseOverride });
    const number = currentVersion + 1;
    const [agent] = await tx
      .update(agents)
      .set({
        currentVersion: number,
        links: linksOf(sent.manifest),
        requires,
        updatedAt: now,
        ...(subscriptionId === undefined ? {} : { subscriptionId }),
      })
      .where(and(eq(agents.tenantId, tenantId), eq(agents.id, id)))
      .returning();
    if (agent === undefined) throw new Error("The agent vanished while it was replaced.");
    await appendVersion(tx, tables, { agent, number, spec: sent.spec, author: tenant.author, note, now });
    await dropOldVersions(tx, tables, agent);
    return presentAgentDetail(agent, sent.spec);
  });
}

/** Throws `agent_not_found`. */
export async function getAgent(
  query: ReadQuery,
  tables: PlatformTables,
  tenantId: string,
  name: string,
): Promise<AgentRow> {
  const agent = await findAgent(query, tables, tenantId, name);
  if (agent !== undefined) return agent;
  throw new AppError("not_found", "agent_not_found", `There is no agent named ${name}.`);
}

/** Requires that the runtime can run the spec under the tenant's policy. */
async function requireRunnable({ runtime }: AgentDeps, tenantId: string, sent: SentSpec): Promise<void> {
  // Building an agent is synchronous, so other work gets a turn first.
  await othersTurn();
  const problems = await runtime.check(tenantId, sent.spec);
  if (problems.length > 0) throw refusedManifest(problems.map(sent.place));
}

async function requireSoundLinks(
  tx: Query,
  tables: PlatformTables,
  tenantId: string,
  sent: SentSpec,
): Promise<void> {
  const problems = await linkProblems(tx, tables, tenantId, sent);
  if (problems.length > 0) throw refusedManifest(problems.map(sent.place));
}

/** Returns the active subscription that a change names; undefined if it names none. */
async function chosen(
  tx: Query,
  tables: PlatformTables,
  {
    tenantId,
    subscriptionId,
    now,
  }: { tenantId: string; subscriptionId: string | null | undefined; now: Date },
): Promise<SubscriptionRow | undefined> {
  if (subscriptionId === undefined || subscriptionId === null) return undefined;
  const subscription = await findSubscription(tx, tables, tenantId, subscriptionId);
  if (subscription === undefined) {
    throw new AppError("not_found", "subscription_not_found", "There is no such subscription.");
  }
  if (!isCancelled(subscription, now)) return subscription;
  throw new AppError("unprocessable", "subscription_inactive", "The subscription is cancelled.");
}

/** Throws `agent_limit_reached` if the subscription's plan allows no more agents. */
async function requireRoomIn(
  tx: Query,
  tables: PlatformTables,
  subscription: SubscriptionRow,
  now: Date,
): Promise<void> {
  const { maxActiveAgents } = await currentPlan(tx, tables, subscription, now);
  requireRoom(
    "The subscription's plan",
    await countAgents(tx, tables, subscription.tenantId, subscription.id),
    maxActiveAgents,
  );
}

function requireRoom(plan: string, live: number, max: number | null): void {
  if (max === null || live < max) return;
  throw new AppError("conflict", "agent_limit_reached", `${plan} allows ${max === 0 ? "no" : max} agents.`);
}

/** Runs the transaction of a new version. A refusal by the release gate is audited, although nothing else is stored. */
async function publish<T>(
  deps: PublishDeps,
  tenant: TenantActor,
  sent: SentSpec,
  work: (tx: Query) => Promise<T>,
): Promise<T> {
  try {
    return await deps.storage.transact(work);
  } catch (thrown) {
    await noteRefusal(deps, tenant, sent, thrown);
    throw thrown;
  }
}

interface NewVersion extends Pick<AgentChange, "note"> {
  agent: AgentRow;
  number: number;
  spec: Record<string, unknown>;
  author: string;
  now: Date;
}

async function appendVersion(
  tx: Query,
  { agentVersions }: PlatformTables,
  { agent: { tenantId, id: agentId }, number, spec, author, note, now }: NewVersion,
): Promise<void> {
  const checksum = checksumOf(spec);
  await tx.insert(agentVersions).values({
    tenantId,
    agentId,
    number,
    spec,
    checksum,
    author,
    note: note?.trim() ?? null,
    createdAt: now,
  });
}

const agentExists = (name: string) =>
  new AppError("conflict", "agent_exists", `An agent named ${name} already exists.`, {
    details: { hint: `PUT /api/v1/agents/${name} adds a version to it.` },
  });
