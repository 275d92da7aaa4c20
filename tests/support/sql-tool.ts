import { childCommand } from "../../src/compose/child-command.ts";
import { builtinWith } from "../../src/engine/tools/bind-builtin.ts";
import { sqlQuery } from "../../src/engine/tools/builtin/sql-query.ts";
import { executeTool } from "../../src/engine/tools/execute-tool.ts";
import { createSqlRunner, type SqlRunner } from "../../src/engine/tools/sql/sql-runner.ts";
import type { ToolContext, ToolResult } from "../../src/engine/tools/tool.ts";
import { createMemoryCache } from "../../src/engine/tools/tool-cache.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { toolContext } from "./tool-context.ts";
import { toolPorts } from "./tool-ports.ts";

/** `sql_query` with its own child process; close it at the end. */
export interface SqlTool {
  runner: SqlRunner;
  /** Makes one call with this configuration. */
  query(
    config: Record<string, unknown>,
    input: Record<string, unknown>,
    context?: Partial<ToolContext>,
  ): Promise<ToolResult>;
}

/** Opens the tool. `workspace` is the base of relative paths; `offLimits` are the paths that no tool may open. */
export function openSqlTool(workspace: string, offLimits: readonly string[] = []): SqlTool {
  const files = { workspace, offLimits };
  const runner = createSqlRunner({ clock: systemClock, childCommand: childCommand("sql-child"), files });
  const templates = {
    compile: () => ({ names: new Set<string>(), render: () => "" }),
    renderUntrusted: async () => "",
    close() {},
  };
  const cache = createMemoryCache(systemClock);
  const ports = toolPorts({ templates, cache, clock: systemClock, files, sql: runner });
  return {
    runner,
    query: (config, input, context = {}) =>
      executeTool(
        { ...builtinWith(sqlQuery, config, ports), timeoutMs: 30_000 },
        input,
        toolContext({ clock: systemClock, ...context }),
      ),
  };
}

/** Returns the running processes that this one started for SQLite. */
export function sqlChildren(): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-ww", "-A", "-o", "pid=,ppid=,state=,args="]);
  return stdout
    .toString()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, parent, state, ...args]) =>
        parent === String(process.pid) && state !== "Z" && args.at(-1) === "sql-child",
    )
    .map(([pid]) => Number(pid));
}
