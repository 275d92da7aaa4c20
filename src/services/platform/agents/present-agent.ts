import type {
  PlatformAgent,
  PlatformAgentDetail,
  TenantAgentVersion,
} from "../../../contracts/platform/agents.ts";
import type { AgentRow, VersionRow } from "./store.ts";

export function presentAgent(agent: AgentRow, spec: Record<string, unknown>): PlatformAgent {
  return {
    id: agent.id,
    name: agent.name,
    display_name: displayNameIn(spec) ?? agent.name,
    status: "active",
    current_version: agent.currentVersion,
    subscription_id: agent.subscriptionId,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}

export function presentAgentDetail(agent: AgentRow, spec: Record<string, unknown>): PlatformAgentDetail {
  return { ...presentAgent(agent, spec), spec };
}

export function presentVersion(
  version: Omit<VersionRow, "spec" | "tenantId" | "agentId">,
): TenantAgentVersion {
  const { number, createdAt, author, checksum, note } = version;
  return { number, created_at: createdAt.toISOString(), author, checksum, ...(note !== null && { note }) };
}

/** Reads the display name from a spec, which was checked when it was stored. */
function displayNameIn(manifest: Record<string, unknown>): string | undefined {
  const { spec } = manifest as { spec?: { identity?: { display_name?: string } } };
  return spec?.identity?.display_name;
}
