import type {
  AgentInput,
  CloudAgent,
  OrgAgentChange,
  WizardConfig,
} from "../../../contracts/cloud/agents.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { entityTag, type RequireMatch } from "../../../http/entity-tag.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import type { OrgActor } from "../access/credentials.ts";
import { lockOrg } from "../access/lock-org.ts";
import { changeBy } from "../audit/change-by.ts";
import { requireState } from "./agent-state.ts";
import { namesOf } from "./catalog.ts";
import type { CloudAgentDeps } from "./deps.ts";
import { freeName } from "./former-names.ts";
import { takeGate } from "./kept-gates.ts";
import { firstOfEach, writtenProblems } from "./manifest-problems.ts";
import { presentAgent } from "./present-agent.ts";
import { agentNames, changeAgent, countAgents, getAgent, type OrgAgentRow } from "./store.ts";
import {
  changeProblems,
  configProblems,
  inputProblems,
  invalidConfig,
  readableParts,
} from "./wizard/check-config.ts";
import { mergeConfig } from "./wizard/merge-config.ts";

/** Stores a new agent as a draft. Throws `invalid_config` with every fault, or 409 `agent_exists` or `agent_limit_reached`. */
export async function createAgent(deps: CloudAgentDeps, actor: OrgActor, body: unknown): Promise<CloudAgent> {
  const { org, limits } = actor;
  const problems = await inPieces(inputProblems(body, await namesOf(deps.runtime)));
  await requireValid(deps, org.id, problems, body);
  const { name, display_name, ...config } = body as AgentInput;
  const { storage, clock, newId } = deps;
  const { tables, transact } = storage;
  return transact(async (tx) => {
    await lockOrg(tx, tables, org.id);
    const known = await agentNames(tx, tables, org.id);
    if (known.some((agent) => agent.name === name)) {
      throw new AppError("conflict", "agent_exists", `An agent named ${name} already exists.`);
    }
    if ((await countAgents(tx, tables, org.id)) >= limits.max_agents) {
      throw new AppError(
        "conflict",
        "agent_limit_reached",
        `The plan ${org.plan} allows ${limits.max_agents} agents. Delete one, or choose a larger plan.`,
      );
    }
    const now = clock.now();
    const agent = {
      id: newId(),
      orgId: org.id,
      name,
      displayName: display_name.trim(),
      config,
      status: "draft" as const,
      spec: null,
      checksum: null,
      createdAt: now,
      updatedAt: now,
      deployedAt: null,
      draft: null,
      ...(await takeGate(tx, tables, org.id, name)),
    };
    await freeName(tx, tables, org.id, name);
    await tx.insert(tables.agents).values(agent);
    await writeAudit(
      deps,
      tx,
      now,
      changeBy(actor, "agent.create", name, agent.requires === null ? {} : { requires: agent.requires }),
    );
    return presentAgent(org.slug, agent);
  });
}

/** ETag of an agent; each change of it has another instant. */
export const agentTag = ({ name, updated_at }: Pick<CloudAgent, "name" | "updated_at">) =>
  entityTag([name, updated_at]);

/**
 * Merges a change into an agent's config. Throws `agent_deployed` unless it is a draft or paused. `match` refuses if the agent has
 * changed since the caller read it.
 */
export async function updateAgent(
  deps: CloudAgentDeps,
  actor: OrgActor,
  name: string,
  body: unknown,
  match: RequireMatch = () => {},
): Promise<CloudAgent> {
  const { storage, clock } = deps;
  const { org } = actor;
  const { tables, read, transact } = storage;
  const agent = await getAgent(read, tables, org.id, name);
  match(agentTag(presentAgent(org.slug, agent)));
  requireState("update", agent);
  requireNoDraft(agent);
  const written = await changedConfig(deps, agent, body);
  const now = clock.now();
  const changed = await transact(async (tx) => {
    const row = await changeAgent(tx, tables, agent, ["draft", "paused"], {
      ...written,
      // The next deployment compiles and validates it again.
      spec: null,
      checksum: null,
      updatedAt: laterThan(agent.updatedAt, now),
    });
    if (row !== undefined)
      await writeAudit(
        deps,
        tx,
        now,
        changeBy(actor, "agent.update", name, { keys: Object.keys(body as OrgAgentChange) }),
      );
    return row;
  });
  if (changed !== undefined) return presentAgent(org.slug, changed);
  const present = await getAgent(read, tables, org.id, name);
  match(agentTag(presentAgent(org.slug, present)));
  requireState("update", present);
  throw changedMeanwhile(name);
}

/** A draft would undo the change when it is published. */
function requireNoDraft({ name, draft }: OrgAgentRow): void {
  if (draft === null) return;
  throw new AppError(
    "conflict",
    "draft_exists",
    `${name} has a draft. Change, publish or discard the draft instead.`,
  );
}

/** Merges a change into an agent's config. Throws `invalid_config` with every fault. Stores nothing. */
export async function changedConfig(
  deps: CloudAgentDeps,
  agent: Pick<OrgAgentRow, "orgId" | "config" | "displayName">,
  body: unknown,
): Promise<{ config: WizardConfig; displayName: string }> {
  const change = body as OrgAgentChange;
  const config = mergeConfig(agent.config, change) as WizardConfig;
  const problems = [
    ...(await inPieces(changeProblems(body))),
    ...(await inPieces(configProblems(config, await namesOf(deps.runtime)))),
  ];
  await requireValid(deps, agent.orgId, problems, config);
  return { config, displayName: change.display_name?.trim() ?? agent.displayName };
}

/** Throws `invalid_config` with every fault of a config: those found so far, and those that only the runtime finds. */
async function requireValid(
  { runtime }: CloudAgentDeps,
  orgId: string,
  found: readonly Problem[],
  config: unknown,
): Promise<void> {
  const readable = readableParts(config, found);
  const problems = firstOfEach([...found, ...(await writtenProblems(runtime, orgId, readable))]);
  if (problems.length > 0) throw invalidConfig(problems);
}

/** `now`, or the next millisecond after `before`, so that every change has another instant. */
export const laterThan = (before: Date, now: Date): Date =>
  now.getTime() > before.getTime() ? now : new Date(before.getTime() + 1);

/** For two requests that change one agent at the same time. */
export const changedMeanwhile = (name: string) =>
  new AppError("conflict", "agent_changed", `${name} was changed by another request. Read it and try again.`);
