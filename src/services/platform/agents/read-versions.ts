import type { AgentVersionDetail, AgentVersionList, SpecDiff } from "../../../contracts/platform/agents.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { StoreDeps } from "../tables.ts";
import type { AgentDeps } from "./deps.ts";
import { diffSpecs } from "./diff-specs.ts";
import { presentVersion } from "./present-agent.ts";
import { getAgent } from "./save-agent.ts";
import { type AgentRow, findAgentById, findVersion, listVersions, type VersionRow } from "./store.ts";

/** Key of an agent: the name of a live one, or the id of any. */
export type TenantAgentKey = { name: string } | { id: string };

/** Versions of an agent, newest first. */
export async function readVersions(
  deps: AgentDeps,
  tenant: TenantActor,
  key: TenantAgentKey,
): Promise<AgentVersionList> {
  const { read, tables } = deps.storage;
  const versions = await listVersions(read, tables, await agentOf(deps, tenant, key));
  return { versions: versions.map(presentVersion) };
}

/** Returns one version with its spec. */
export async function readVersion(
  deps: AgentDeps,
  tenant: TenantActor,
  key: TenantAgentKey,
  number: string,
): Promise<AgentVersionDetail> {
  const version = await getVersion(deps, await agentOf(deps, tenant, key), number);
  return { ...presentVersion(version), spec: version.spec };
}

/** Returns the differences between two versions. */
export async function diffVersions(
  deps: AgentDeps,
  tenant: TenantActor,
  key: TenantAgentKey,
  { from, to }: { from: string; to: string },
): Promise<SpecDiff> {
  const agent = await agentOf(deps, tenant, key);
  const before = await getVersion(deps, agent, from);
  const after = await getVersion(deps, agent, to);
  return { from: before.number, to: after.number, changes: diffSpecs(before.spec, after.spec) };
}

/** Throws 404 for a missing version, and for a number in non-canonical form such as `01`. */
export async function getVersion(
  { storage: { read, tables } }: StoreDeps,
  agent: AgentRow,
  number: string,
): Promise<VersionRow> {
  const isCanonical = /^[1-9][0-9]{0,8}$/.test(number);
  const version = isCanonical ? await findVersion(read, tables, agent, Number(number)) : undefined;
  if (version !== undefined) return version;
  throw new AppError("not_found", "version_not_found", `The agent has no version ${number.slice(0, 20)}.`);
}

async function agentOf(
  { storage: { read, tables } }: StoreDeps,
  { tenantId }: TenantActor,
  key: TenantAgentKey,
): Promise<AgentRow> {
  if ("name" in key) return getAgent(read, tables, tenantId, key.name);
  const agent = await findAgentById(read, tables, tenantId, key.id);
  if (agent !== undefined) return agent;
  throw new AppError("not_found", "agent_not_found", "There is no agent with this id.");
}
