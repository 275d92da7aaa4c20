import type { Columns } from "../../../../storage/tables/columns.ts";

/** `working`: its run has not ended, or waits for a person. */
export type TaskStatus = "working" | "completed" | "cancelled";

/** Calls of agents by MCP clients that went on as tasks. */
export const mcpTaskTables = ({ table, id, text, integer, instant, index, primaryKey }: Columns) => ({
  mcpTasks: table(
    "mcp_tasks",
    {
      tenant: id("tenant").notNull(),
      /** A secret of the client that started it. */
      id: id("id").notNull(),
      /** Digest of the peer and the credentials that started it. */
      client: text("client").notNull(),
      agent: id("agent").notNull(),
      sessionId: text("session_id").notNull(),
      status: text("status").$type<TaskStatus>().notNull(),
      /** Sealed: the arguments of the call. */
      input: text("input").notNull(),
      /** Sealed: the result of the call; null until it has ended. */
      result: text("result"),
      /** Approval that its run waits for. */
      awaits: id("awaits"),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      /** How often a process died while it ran it. */
      interruptions: integer("interruptions").notNull(),
      /** Process that runs it, and the end of its lease. */
      owner: text("owner"),
      heldUntil: instant("held_until"),
    },
    (task) => [
      primaryKey({ columns: [task.tenant, task.id] }),
      index("mcp_tasks_held").on(task.status, task.heldUntil),
      index("mcp_tasks_agent").on(task.tenant, task.agent),
      index("mcp_tasks_age").on(task.createdAt),
    ],
  ),
});

export type McpTaskTables = ReturnType<typeof mcpTaskTables>;
export type McpTaskRow = McpTaskTables["mcpTasks"]["$inferSelect"];
