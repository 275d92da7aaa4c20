import type { McpServer, ServerStatus } from "./mcp/mcp-server.ts";
import type { TypedTool } from "./tool-kind.ts";

/** Tools that a server or a file lists, which may be others at another time: what an entry of type `mcp` or `internal` is bound to. */
export interface ToolSource {
  /** The entry's name. */
  entry: string;
  /** The tools as they are known now; the same list as long as they are the same. */
  now(): readonly TypedTool[];
  /** Resolves once a server that is starting has its tools, or has had its time; undefined: there is nothing to wait for. */
  ready(): Promise<void> | undefined;
  /** What a tool is called where its name is taken in the agent. */
  otherName(name: string): string;
  /** The MCP server that lists them; absent: a file does. */
  mcp?: { server: McpServer; status(): SourceStatus };
}

/** An entry's server as an operator sees it. */
export interface SourceStatus extends ServerStatus {
  /** How many of its tools the agent has. */
  offered: number;
  /** Of the tools that the entry allows: what `tools_hash` pins. */
  hash: string;
  notes: readonly string[];
}
