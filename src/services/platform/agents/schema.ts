import { sql } from "drizzle-orm";
import type { Requirement } from "../../../evals/gate/judge-requirement.ts";
import type { AgentLinks } from "../../../manifest/agent/check-chains.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Agents and their versions. A trigger prevents changes to versions; old versions not used by runs are deleted. */
export const agentTables = ({
  table,
  id,
  text,
  integer,
  instant,
  json,
  index,
  unique,
  primaryKey,
}: Columns) => ({
  agents: table(
    "agents",
    {
      tenantId: id("tenant_id").notNull(),
      id: id("id").notNull(),
      name: text("name").notNull(),
      subscriptionId: id("subscription_id"),
      currentVersion: integer("current_version").notNull(),
      /** Agents that the current version links to; null in rows written by releases without this column. */
      links: json<AgentLinks>("links"),
      /**
       * Evals that every version of an agent with this name must pass; null: none. A deleted agent keeps them until another has its name, so
       * that at most one agent of a name has some.
       */
      requires: json<Requirement[]>("requires"),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      deletedAt: instant("deleted_at"),
      /** Time when the runtime was told of the deletion and deleted the agent's memory. */
      forgottenAt: instant("forgotten_at"),
    },
    (agent) => [
      primaryKey({ columns: [agent.tenantId, agent.id] }),
      unique("agents_live_name").on(agent.tenantId, agent.name).where(sql`${agent.deletedAt} is null`),
      unique("agents_gates").on(agent.tenantId, agent.name).where(sql`${agent.requires} is not null`),
      index("agents_subscription").on(agent.tenantId, agent.subscriptionId),
      index("agents_all").on(agent.id),
      index("agents_to_forget")
        .on(agent.deletedAt)
        .where(sql`${agent.deletedAt} is not null and ${agent.forgottenAt} is null`),
    ],
  ),
  agentVersions: table(
    "agent_versions",
    {
      tenantId: id("tenant_id").notNull(),
      agentId: id("agent_id").notNull(),
      /** Starts at 1; numbers of deleted versions are not reused. */
      number: integer("number").notNull(),
      spec: json<Record<string, unknown>>("spec").notNull(),
      /** SHA-256 of the spec's canonical JSON, in hex. */
      checksum: text("checksum").notNull(),
      /** `user:` and the id, or `key:` and the hash. */
      author: text("author").notNull(),
      /** The author's words about what has changed; null: none. */
      note: text("note"),
      createdAt: instant("created_at").notNull(),
    },
    (version) => [primaryKey({ columns: [version.tenantId, version.agentId, version.number] })],
  ),
});
