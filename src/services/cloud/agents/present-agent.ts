import type { AgentItem, CloudAgent } from "../../../contracts/cloud/agents.ts";
import { fullModelName } from "../providers/model-name.ts";
import { runtimeIdOf } from "./registrations.ts";
import type { ListedAgent, OrgAgentRow } from "./store.ts";

/** An agent in a list. */
export function presentItem({
  name,
  displayName,
  status,
  config,
  createdAt,
  hasDraft,
}: ListedAgent): AgentItem {
  const model = config.step1?.model;
  return {
    name,
    display_name: displayName,
    status,
    model: model === undefined ? null : fullModelName(model),
    created_at: createdAt.toISOString(),
    ...(hasDraft && { has_draft: true as const }),
  };
}

/** An agent with its full config. */
export const presentAgent = (slug: string, agent: OrgAgentRow): CloudAgent => ({
  ...presentItem({ ...agent, hasDraft: agent.draft !== null }),
  agent_id: runtimeIdOf(slug, agent.name),
  updated_at: agent.updatedAt.toISOString(),
  deployed_at: agent.deployedAt?.toISOString() ?? null,
  ...agent.config,
});
