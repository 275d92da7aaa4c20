import { version } from "../../../package.json" with { type: "json" };
import { McpServers } from "../../engine/tools/mcp/mcp-servers.ts";
import type { LoginStore } from "../../engine/tools/mcp/oauth/login-store.ts";
import type { ToolPins } from "../../engine/tools/mcp/tool-pins.ts";
import type { GuardedNetwork } from "../../engine/tools/network/guarded-network.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import { childCommand } from "../child-command.ts";
import type { Config } from "../settings/config.ts";

export interface McpParts {
  clock: Clock;
  log: Logger;
  network: GuardedNetwork;
  pins: ToolPins;
  logins: LoginStore;
}

/** MCP servers that the operator's agents name. Starts none of them. */
export function createMcpServers(config: Config, parts: McpParts): McpServers {
  return new McpServers({
    ...parts,
    conceal: (secret) => config.knownSecrets.add(secret),
    version,
    supervisor: childCommand("mcp-child"),
    refusal: config.programs.refusal,
    folder: config.workspace,
    path: config.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
  });
}
