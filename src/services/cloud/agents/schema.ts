import type { OrgAgentStatus, WizardConfig } from "../../../contracts/cloud/agents.ts";
import type { Requirement } from "../../../evals/gate/judge-requirement.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** The next version of an agent, which is not in force yet. */
export interface StoredDraft {
  config: WizardConfig;
  displayName: string;
}

/** Agents of orgs. */
export const agentTables = ({ table, id, text, instant, json, index, unique, primaryKey }: Columns) => ({
  agents: table(
    "agents",
    {
      /** Owner of the agent's memory, so an agent with a reused name starts empty. */
      id: id("id").primaryKey(),
      orgId: id("org_id").notNull(),
      name: id("name").notNull(),
      displayName: text("display_name").notNull(),
      config: json<WizardConfig>("config").notNull(),
      status: text("status").$type<OrgAgentStatus>().notNull(),
      /** The compiled manifest of a deployed agent, and its digest. */
      spec: json<Record<string, unknown>>("spec"),
      checksum: id("checksum"),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      deployedAt: instant("deployed_at"),
      /** Digest of the last deployed manifest, also after the config has changed. */
      releasedChecksum: id("released_checksum"),
      /** Evals that a version must pass before it is deployed; null: none. */
      requires: json<Requirement[]>("requires"),
      /** Null: none. */
      draft: json<StoredDraft>("draft"),
    },
    (agent) => [
      unique("agents_name").on(agent.orgId, agent.name),
      index("agents_status").on(agent.status, agent.id),
    ],
  ),
  /** Former names of agents, until an agent of the org is created under the name. */
  formerNames: table(
    "former_names",
    {
      orgId: id("org_id").notNull(),
      name: id("name").notNull(),
      agentId: id("agent_id").notNull(),
      renamedAt: instant("renamed_at").notNull(),
    },
    (former) => [
      primaryKey({ columns: [former.orgId, former.name] }),
      index("former_names_agent").on(former.orgId, former.agentId),
    ],
  ),
  /** Gates of deleted agents, for the next agents of their names. */
  keptGates: table(
    "kept_gates",
    {
      orgId: id("org_id").notNull(),
      name: id("name").notNull(),
      requires: json<Requirement[]>("requires").notNull(),
      releasedChecksum: id("released_checksum"),
    },
    (gate) => [primaryKey({ columns: [gate.orgId, gate.name] })],
  ),
  /** Deleted agents whose memory the runtime still has to forget. */
  retiredAgents: table("retired_agents", {
    id: id("id").primaryKey(),
    orgId: id("org_id").notNull(),
    runtimeName: text("runtime_name").notNull(),
    retiredAt: instant("retired_at").notNull(),
  }),
});
