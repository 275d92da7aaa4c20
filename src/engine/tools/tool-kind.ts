import type { Problem } from "../../kit/app-error.ts";
import type { ToolEntry, ToolType } from "../../manifest/agent/tools.ts";
import type { SchemaAllowance } from "../structured/schema-allowance.ts";
import type { BoundTool } from "./bound-tool.ts";
import type { ToolPorts } from "./builtin/builtin-tool.ts";
import type { ToolSource } from "./tool-source.ts";

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
