import type { Deployed, OrgAgentStatus, Paused } from "../../../contracts/cloud/agents.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { toAppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import type { OrgActor } from "../access/credentials.ts";
import { changeBy } from "../audit/change-by.ts";
import { keyMissing, missingKeys, requireProviderKeys } from "../providers/provider-keys.ts";
import { requireState } from "./agent-state.ts";
import { namesOf } from "./catalog.ts";
import type { CloudAgentDeps } from "./deps.ts";
import { firstOfEach, manifestProblems } from "./manifest-problems.ts";
import { registerAgent, runtimeIdOf } from "./registrations.ts";
import { type ReleaseDeps, requireReleased } from "./release-gate.ts";
import { changeAgent, getAgent, type OrgAgentRow } from "./store.ts";
import { configProblems, invalidConfig, missingProblems } from "./wizard/check-config.ts";
import { type Compilable, compileManifest, providersOf } from "./wizard/compile-manifest.ts";
import { changedMeanwhile, laterThan } from "./write-agent.ts";

/**
 * Compiles an agent, registers it with the runtime and marks it deployed. A paused agent whose config did not change is registered as it was.
 * Throws `invalid_config` with every fault, `provider_key_missing`, `agent_already_deployed`, or `release_refused` if the gate is not
 * overridden.
 */
export async function deployAgent(
  deps: ReleaseDeps,
  actor: OrgActor,
  name: string,
  override?: string,
): Promise<Deployed> {
  const { org } = actor;
  const { tables, read } = deps.storage;
  const agent = await getAgent(read, tables, org.id, name);
  requireState("deploy", agent);
  if (agent.spec === null) await requireDeployable(deps, agent);
  else await requireProviderKeys(deps, org.id, providersOf(agent.config));
  const spec = agent.spec ?? compileManifest(agent);
  const checksum = agent.checksum ?? checksumOf(spec);
  const released = agent.spec === null ? await requireReleased(deps, actor, agent, checksum, override) : {};
  const deployed = await putInForce(deps, actor, agent, {
    spec,
    checksum,
    states: ["draft", "paused"],
    change: {},
    action: "agent.deploy",
    detail: { checksum, ...released },
  }).catch(async (thrown: unknown) => {
    if (toAppError(thrown).code === "agent_changed")
      requireState("deploy", await getAgent(read, tables, org.id, name));
    throw thrown;
  });
  return deployed;
}

interface NextVersion {
  spec: Record<string, unknown>;
  checksum: string;
  /** States in which the agent may be. */
  states: readonly OrgAgentStatus[];
  change: Partial<OrgAgentRow>;
  action: string;
  detail: Record<string, unknown>;
}

/** Registers a checked version with the runtime and stores that it is deployed. Throws 409 `agent_changed` if the agent changed meanwhile. */
export async function putInForce(
  deps: CloudAgentDeps,
  actor: OrgActor,
  agent: OrgAgentRow,
  { spec, checksum, states, change, action, detail }: NextVersion,
): Promise<Deployed> {
  const { storage, clock, runtime } = deps;
  const { slug } = actor.org;
  const { name } = agent;
  await registerAgent(runtime, { ...agent, slug, spec, checksum });
  const deployedAt = clock.now();
  await storage.transact(async (tx) => {
    const row = await changeAgent(tx, storage.tables, agent, states, {
      ...change,
      status: "deployed",
      spec,
      checksum,
      deployedAt,
      releasedChecksum: checksum,
      updatedAt: laterThan(agent.updatedAt, deployedAt),
    });
    if (row === undefined) throw changedMeanwhile(name);
    await writeAudit(deps, tx, deployedAt, changeBy(actor, action, name, detail));
  });
  return { status: "deployed", agent_id: runtimeIdOf(slug, name), deployed_at: deployedAt.toISOString() };
}

/** Takes a deployed agent out of the runtime. Its config and its memory remain. */
export async function pauseAgent(deps: CloudAgentDeps, actor: OrgActor, name: string): Promise<Paused> {
  const { org } = actor;
  const { storage, clock, runtime, log } = deps;
  const { tables, read, transact } = storage;
  const agent = await getAgent(read, tables, org.id, name);
  requireState("pause", agent);
  const now = clock.now();
  const changed = await transact(async (tx) => {
    const row = await changeAgent(tx, tables, agent, ["deployed"], {
      status: "paused",
      updatedAt: laterThan(agent.updatedAt, now),
    });
    if (row !== undefined) await writeAudit(deps, tx, now, changeBy(actor, "agent.pause", name));
    return row;
  });
  if (changed === undefined) {
    requireState("pause", await getAgent(read, tables, org.id, name));
    throw changedMeanwhile(name);
  }
  // No run begins any more. An agent that stays in the runtime is replaced by its next deployment.
  await runtime.unload(runtimeIdOf(org.slug, name)).catch((thrown: unknown) => {
    log.warn("agent.not_unloaded", { agent: runtimeIdOf(org.slug, name), err: thrown });
  });
  return { status: "paused" };
}

/** Throws `invalid_config` with every fault at once, or `provider_key_missing` if only keys are missing. */
export async function requireDeployable(
  deps: CloudAgentDeps,
  agent: Compilable & Pick<OrgAgentRow, "orgId">,
): Promise<void> {
  const { runtime } = deps;
  const { orgId, config } = agent;
  const found = [
    ...missingProblems(config),
    // The catalog may have changed since the config was written.
    ...(await inPieces(configProblems(config, await namesOf(runtime)))),
    ...(await manifestProblems(runtime, orgId, agent)),
  ];
  const problems = firstOfEach(found);
  const keys = await missingKeys(deps, orgId, config);
  if (problems.length > 0) throw invalidConfig([...problems, ...keys]);
  if (keys.length > 0) throw keyMissing(keys);
}
