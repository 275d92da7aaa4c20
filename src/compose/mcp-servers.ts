import { existsSync, readFileSync } from "node:fs";
import { version } from "../../package.json" with { type: "json" };
import { McpServers } from "../engine/tools/mcp/mcp-servers.ts";
import type { SeenTools, ToolPins } from "../engine/tools/mcp/tool-pins.ts";
import type { GuardedNetwork } from "../engine/tools/network/guarded-network.ts";
import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import { replaceFile } from "../storage/replace-file.ts";
import { childCommand } from "./child-command.ts";
import type { Config } from "./config.ts";

export interface McpParts {
  clock: Clock;
  log: Logger;
  network: GuardedNetwork;
  pins: ToolPins;
}

/** The MCP servers that the operator's agents name. None is started here. */
export function createMcpServers(config: Config, parts: McpParts): McpServers {
  return new McpServers({
    ...parts,
    version,
    supervisor: childCommand("mcp-child"),
    folder: config.workspace,
    path: config.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
  });
}

/** Servers that no agent has had for long are forgotten beyond this number. */
const serversMax = 1000;

/**
 * What servers offered, as `file` has it, where each change is written at once. A file that can't be read or written keeps
 * nobody from working: changes are then told of only as long as the process runs.
 */
export function openToolPins(file: string, log: Logger): ToolPins {
  const seen = new Map(Object.entries(readPins(file, log)));
  return {
    get: (server) => seen.get(server),
    set(server, tools) {
      seen.delete(server);
      seen.set(server, tools);
      for (const oldest of seen.keys()) {
        if (seen.size <= serversMax) break;
        seen.delete(oldest);
      }
      try {
        replaceFile(file, `${JSON.stringify({ servers: Object.fromEntries(seen) })}\n`, 0o600);
      } catch (thrown) {
        log.warn("mcp.pins_unwritten", { file, err: thrown });
      }
    },
  };
}

function readPins(file: string, log: Logger): Record<string, SeenTools> {
  if (!existsSync(file)) return {};
  try {
    const { servers } = JSON.parse(readFileSync(file, "utf8"));
    if (isMapping(servers) && Object.values(servers).every(isSeen))
      return servers as Record<string, SeenTools>;
  } catch {
    // Said below, as for any other content that isn't ours.
  }
  log.warn("mcp.pins_unreadable", { file });
  return {};
}

function isSeen(value: unknown): value is SeenTools {
  return isMapping(value) && Object.values(value).every((hash) => typeof hash === "string");
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
