import type { Problem } from "../../kit/app-error.ts";
import type { ToolEntry, ToolType } from "../../manifest/tools.ts";
import type { SchemaAllowance } from "../structured/schema-allowance.ts";
import type { BoundTool } from "./bound-tool.ts";
import type { ToolPorts } from "./builtin/builtin-tool.ts";
import type { ToolSource } from "./tool-source.ts";

/** A tool as its type makes it; rate limit and `mode` of the entry come on top. */
export type TypedTool = Omit<BoundTool, "rateLimit" | "proposes">;

/** Where an entry stands, and what it may be made from. */
export interface EntryPlace {
  /** `spec.tools[0]`. */
  path: string;
  ports: ToolPorts;
  /** Templates that the entry's own may include by name. */
  templates: Readonly<Record<string, string>>;
  /** What the schemas of the agent may still have. */
  schemas: SchemaAllowance;
}

/** Makes the tool of an entry of one type, or what lists its tools, or says what about the entry can't be honoured. */
export type BindEntry<T extends ToolType> = (
  entry: Extract<ToolEntry, { type: T }>,
  place: EntryPlace,
) => TypedTool | { source: ToolSource } | { problems: Problem[] };
