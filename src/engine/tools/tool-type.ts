import type { Problem } from "../../kit/app-error.ts";
import type { ToolEntry, ToolType } from "../../manifest/agent/tools.ts";
import type { SchemaAllowance } from "../structured/schema-allowance.ts";
import type { BoundTool } from "./bound-tool.ts";
import type { ToolPorts } from "./builtin/builtin-tool.ts";
import type { McpServer, ServerStatus } from "./mcp/mcp-server.ts";

/** A bound tool without the entry's rate limit and `mode`. */
export type TypedTool = Omit<BoundTool, "rateLimit" | "proposes">;

/** Position of an entry and the dependencies for binding it. */
export interface EntryPlace {
  /** `spec.tools[0]`. */
  path: string;
  ports: ToolPorts;
  /** Templates that the entry's template may include by name. */
  templates: Readonly<Record<string, string>>;
  /** Remaining allowance for the agent's schemas. */
  schemas: SchemaAllowance;
}

/** Binds the tool of an entry, or the source that lists its tools, or returns the problems of the entry. */
export type BindEntry<T extends ToolType> = (
  entry: Extract<ToolEntry, { type: T }>,
  place: EntryPlace,
) => TypedTool | { source: ToolSource } | { problems: Problem[] };

/** Tools listed by a server or a file, which may change over time: for entries of type `mcp` or `internal`. */
export interface ToolSource {
  /** Name of the entry. */
  entry: string;
  /** Returns the current tools; the same list as long as they don't change. */
  now(): readonly TypedTool[];
  /** Resolves once a server that is starting has listed its tools or used up its start time; undefined if there is nothing to wait for. */
  ready(): Promise<void> | undefined;
  /** Resolves once a list that its server has announced was read; undefined if none was announced. */
  relisted?(): Promise<void> | undefined;
  /** Returns the name for a tool whose own name is taken in the agent. */
  otherName(name: string): string;
  /** True if an agent of another system is behind it. */
  a2a?: true;
  /** The MCP server that lists them; absent, without `a2a` too: a file lists them. */
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
