import type { McpServer, ServerStatus } from "./mcp/mcp-server.ts";
import type { TypedTool } from "./tool-kind.ts";

/** Tools listed by a server or a file, which may change over time: for entries of type `mcp` or `internal`. */
export interface ToolSource {
  /** Name of the entry. */
  entry: string;
  /** Returns the current tools; the same list as long as they don't change. */
  now(): readonly TypedTool[];
  /** Resolves once a server that is starting has listed its tools or used up its start time; undefined if there is nothing to wait for. */
  ready(): Promise<void> | undefined;
  /** Returns the name for a tool whose own name is taken in the agent. */
  otherName(name: string): string;
  /** The MCP server that lists them; absent: a file lists them. */
  mcp?: { server: McpServer; status(): SourceStatus };
}

/** Status of an entry's server for operators. */
export interface SourceStatus extends ServerStatus {
  /** Number of its tools that the agent has. */
  offered: number;
  /** Hash of the tools that the entry allows, as pinned by `tools_hash`. */
  hash: string;
  notes: readonly string[];
}
