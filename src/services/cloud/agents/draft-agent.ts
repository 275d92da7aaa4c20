import type { AgentDraft, CloudAgent, Deployed, OrgAgentChange } from "../../../contracts/cloud/agents.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import type { RequireMatch } from "../../../http/entity-tag.ts";
import { AppError } from "../../../kit/app-error.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import type { OrgActor } from "../access/credentials.ts";
import { changeBy } from "../audit/change-by.ts";
import { requireState } from "./agent-state.ts";
import { putInForce, requireDeployable } from "./deploy-agent.ts";
import type { CloudAgentDeps } from "./deps.ts";
import { presentAgent } from "./present-agent.ts";
import { type ReleaseDeps, requireReleased } from "./release-gate.ts";
import { changeAgent, getAgent, type OrgAgentRow } from "./store.ts";
import { compileManifest } from "./wizard/compile-manifest.ts";
import { agentTag, changedConfig, changedMeanwhile, laterThan } from "./write-agent.ts";

/*
 * A draft is the next version of a deployed or paused agent. Runs use the version in force until the draft is published, which replaces it
 * between two runs. An agent that was never deployed is changed directly.
 */

/** An agent as its draft would make it. Its config is the version in force if it has no draft. */
export const draftedAgent = (agent: OrgAgentRow): OrgAgentRow => ({ ...agent, ...agent.draft });

/** The draft of an agent. Throws 404 `draft_not_found`. */
export async function readDraft(
  { storage: { read, tables } }: CloudAgentDeps,
  { org }: OrgActor,
  name: string,
): Promise<AgentDraft> {
  return presentDraft(org.slug, await getDrafted(read, tables, org.id, name));
}

/** Merges a change into the draft; the first change begins with the version in force. Throws like `updateAgent`. */
export async function changeDraft(
  deps: CloudAgentDeps,
  actor: OrgActor,
  name: string,
  body: unknown,
  match: RequireMatch = () => {},
): Promise<AgentDraft> {
  const { storage, clock } = deps;
  const { org } = actor;
  const { tables, read, transact } = storage;
  const agent = await getAgent(read, tables, org.id, name);
  match(agentTag(presentAgent(org.slug, agent)));
  requireState("draft", agent);
  const draft = await changedConfig(deps, draftedAgent(agent), body);
  const now = clock.now();
  const changed = await transact(async (tx) => {
    const row = await changeAgent(tx, tables, agent, ["deployed", "paused"], {
      draft,
      updatedAt: laterThan(agent.updatedAt, now),
    });
    const detail = { keys: Object.keys(body as OrgAgentChange) };
    if (row !== undefined) await writeAudit(deps, tx, now, changeBy(actor, "agent.draft", name, detail));
    return row;
  });
  if (changed !== undefined) return presentDraft(org.slug, changed);
  const present = await getAgent(read, tables, org.id, name);
  match(agentTag(presentAgent(org.slug, present)));
  throw changedMeanwhile(name);
}

/** Deletes the draft; the version in force stays. Throws 404 `draft_not_found`. */
export async function discardDraft(deps: CloudAgentDeps, actor: OrgActor, name: string): Promise<void> {
  const { storage, clock } = deps;
  const { tables, read, transact } = storage;
  const agent = await getDrafted(read, tables, actor.org.id, name);
  const now = clock.now();
  await transact(async (tx) => {
    const row = await changeAgent(tx, tables, agent, ["deployed", "paused"], {
      draft: null,
      updatedAt: laterThan(agent.updatedAt, now),
    });
    if (row === undefined) throw changedMeanwhile(name);
    await writeAudit(deps, tx, now, changeBy(actor, "agent.discard_draft", name));
  });
}

/**
 * Puts the draft in force without a pause: runs that have begun end with the version that they began with. A paused agent is deployed. Throws
 * like `deployAgent`, or 404 `draft_not_found`.
 */
export async function publishDraft(
  deps: ReleaseDeps,
  actor: OrgActor,
  name: string,
  override?: string,
): Promise<Deployed> {
  const { read, tables } = deps.storage;
  const agent = await getDrafted(read, tables, actor.org.id, name);
  const next = draftedAgent(agent);
  await requireDeployable(deps, next);
  const spec = compileManifest(next);
  const checksum = checksumOf(spec);
  const released = await requireReleased(deps, actor, next, checksum, override);
  const { config, displayName } = next;
  return putInForce(deps, actor, agent, {
    spec,
    checksum,
    states: ["deployed", "paused"],
    change: { config, displayName, draft: null },
    action: "agent.publish",
    detail: { checksum, ...released },
  });
}

async function getDrafted(
  ...[query, tables, orgId, name]: Parameters<typeof getAgent>
): Promise<OrgAgentRow> {
  const agent = await getAgent(query, tables, orgId, name);
  if (agent.draft !== null) return agent;
  throw new AppError("not_found", "draft_not_found", `${name} has no draft.`);
}

/** The draft in the form of an agent, without what only the version in force has. */
function presentDraft(slug: string, agent: OrgAgentRow): AgentDraft {
  const { name, display_name, model, updated_at, step1, step2, step3, step4, step5 }: CloudAgent =
    presentAgent(slug, draftedAgent(agent));
  const steps = Object.entries({ step1, step2, step3, step4, step5 }).filter(
    ([, step]) => step !== undefined,
  );
  return { name, display_name, model, updated_at, ...Object.fromEntries(steps) };
}
