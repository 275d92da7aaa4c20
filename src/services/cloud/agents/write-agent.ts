import type { AgentChange, AgentInput, CloudAgent, WizardConfig } from "../../../contracts/cloud/agents.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { OrgActor } from "../access/credentials.ts";
import { lockOrg } from "../access/lock-org.ts";
import { requireState } from "./agent-state.ts";
import { namesOf } from "./catalog.ts";
import type { AgentDeps } from "./deps.ts";
import { presentAgent } from "./present-agent.ts";
import { agentNames, changeAgent, countAgents, getAgent } from "./store.ts";
import { changeProblems, configProblems, inputProblems, invalidConfig } from "./wizard/check-config.ts";
import { mergeConfig } from "./wizard/merge-config.ts";

/** Stores a new agent as a draft. Throws `invalid_config` with every fault, or 409 `agent_exists` or `agent_limit_reached`. */
export async function createAgent(
  deps: AgentDeps,
  { org, limits }: OrgActor,
  body: unknown,
): Promise<CloudAgent> {
  const problems = inputProblems(body, await namesOf(deps.runtime));
  if (problems.length > 0) throw invalidConfig(problems);
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
    };
    await tx.insert(tables.agents).values(agent);
    return presentAgent(org.slug, agent);
  });
}

/** Merges a change into an agent's config. Throws `agent_deployed` unless it is a draft or paused. */
export async function updateAgent(
  deps: AgentDeps,
  { org }: OrgActor,
  name: string,
  body: unknown,
): Promise<CloudAgent> {
  const { storage, clock } = deps;
  const { tables, read, transact } = storage;
  const agent = await getAgent(read, tables, org.id, name);
  requireState("update", agent);
  const shape = changeProblems(body);
  if (shape.length > 0) throw invalidConfig(shape);
  const change = body as AgentChange;
  const config = mergeConfig(agent.config, change) as WizardConfig;
  const problems = configProblems(config, await namesOf(deps.runtime));
  if (problems.length > 0) throw invalidConfig(problems);
  const changed = await transact((tx) =>
    changeAgent(tx, tables, agent, ["draft", "paused"], {
      config,
      displayName: change.display_name?.trim() ?? agent.displayName,
      // The next deployment compiles and validates it again.
      spec: null,
      checksum: null,
      updatedAt: laterThan(agent.updatedAt, clock.now()),
    }),
  );
  if (changed !== undefined) return presentAgent(org.slug, changed);
  requireState("update", await getAgent(read, tables, org.id, name));
  throw changedMeanwhile(name);
}

/** `now`, or the next millisecond after `before`, so that every change has another instant. */
export const laterThan = (before: Date, now: Date): Date =>
  now.getTime() > before.getTime() ? now : new Date(before.getTime() + 1);

/** For two requests that change one agent at the same time. */
export const changedMeanwhile = (name: string) =>
  new AppError("conflict", "agent_changed", `${name} was changed by another request. Read it and try again.`);
