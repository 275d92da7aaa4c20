import type { Deployed, Paused } from "../../../contracts/cloud/agents.ts";
import { canonicalJson } from "../../../kit/json/canonical-json.ts";
import type { OrgActor } from "../access/credentials.ts";
import { requireProviderKeys } from "../providers/provider-keys.ts";
import { requireState } from "./agent-state.ts";
import type { AgentDeps } from "./deps.ts";
import { registerAgent, runtimeFailed, runtimeIdOf } from "./registrations.ts";
import { type AgentRow, changeAgent, getAgent } from "./store.ts";
import { invalidConfig, missingProblems } from "./wizard/check-config.ts";
import { compileManifest, configProblem, providersOf } from "./wizard/compile-manifest.ts";
import { changedMeanwhile, laterThan } from "./write-agent.ts";

/**
 * Compiles an agent, registers it with the runtime and marks it deployed. A paused agent whose config did not change is registered as it was.
 * Throws `invalid_config`, `provider_key_missing` or `agent_already_deployed`.
 */
export async function deployAgent(deps: AgentDeps, { org }: OrgActor, name: string): Promise<Deployed> {
  const { storage, clock, runtime } = deps;
  const { tables, read, transact } = storage;
  const agent = await getAgent(read, tables, org.id, name);
  requireState("deploy", agent);
  const missing = missingProblems(agent.config);
  if (missing.length > 0) throw invalidConfig(missing);
  await requireProviderKeys(deps, org.id, providersOf(agent.config));
  const spec = agent.spec ?? (await checkedManifest(deps, agent));
  const checksum = agent.checksum ?? checksumOf(spec);
  await registerAgent(runtime, { ...agent, slug: org.slug, spec, checksum });
  const deployedAt = clock.now();
  const changed = await transact((tx) =>
    changeAgent(tx, tables, agent, ["draft", "paused"], {
      status: "deployed",
      spec,
      checksum,
      deployedAt,
      updatedAt: laterThan(agent.updatedAt, deployedAt),
    }),
  );
  if (changed === undefined) {
    requireState("deploy", await getAgent(read, tables, org.id, name));
    throw changedMeanwhile(name);
  }
  return {
    status: "deployed",
    agent_id: runtimeIdOf(org.slug, name),
    deployed_at: deployedAt.toISOString(),
  };
}

/** Takes a deployed agent out of the runtime. Its config and its memory remain. */
export async function pauseAgent(deps: AgentDeps, { org }: OrgActor, name: string): Promise<Paused> {
  const { storage, clock, runtime, log } = deps;
  const { tables, read, transact } = storage;
  const agent = await getAgent(read, tables, org.id, name);
  requireState("pause", agent);
  const changed = await transact((tx) =>
    changeAgent(tx, tables, agent, ["deployed"], {
      status: "paused",
      updatedAt: laterThan(agent.updatedAt, clock.now()),
    }),
  );
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

async function checkedManifest({ runtime }: AgentDeps, agent: AgentRow): Promise<Record<string, unknown>> {
  const spec = compileManifest(agent);
  const problems = await runtime.check(agent.orgId, spec, "own").catch((thrown: unknown) => {
    throw runtimeFailed(thrown);
  });
  if (problems.length > 0) throw invalidConfig(problems.map(configProblem));
  return spec;
}

/** SHA-256 of a manifest's canonical JSON, in hex. */
const checksumOf = (spec: unknown): string =>
  new Bun.CryptoHasher("sha256").update(canonicalJson(spec)).digest("hex");
