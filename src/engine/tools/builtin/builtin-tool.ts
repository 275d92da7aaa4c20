import type { Static, TObject } from "@sinclair/typebox";
import type { Clock } from "../../../kit/clock.ts";
import type { TemplateEngine } from "../../prompts/template.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { ToolCache } from "../tool-cache.ts";

/** What tools may use of the world. */
export interface ToolPorts {
  templates: TemplateEngine;
  cache: ToolCache;
  clock: Clock;
}

/** A tool that comes with the executable: what the model sees, what a manifest may configure, and what it does. */
export interface BuiltinTool {
  name: string;
  /** What the model is told. */
  description: string;
  parameters: TObject;
  /** The keys of the entry's `config`. */
  options: TObject;
  /** What people are told, in the reference. */
  docs: string;
  build(options: Record<string, unknown>, ports: ToolPorts): Execute<Record<string, unknown>>;
}

type Execute<Input> = (input: Input, context: ToolContext) => Promise<ToolResult>;

/** A built-in tool whose `build` sees its options and its input with the types of their schemas. */
export function builtinTool<P extends TObject, O extends TObject>(
  tool: Omit<BuiltinTool, "parameters" | "options" | "build"> & {
    parameters: P;
    options: O;
    build(options: Static<O>, ports: ToolPorts): Execute<Static<P>>;
  },
): BuiltinTool {
  return {
    ...tool,
    build: (options, ports) => tool.build(options as Static<O>, ports) as Execute<Record<string, unknown>>,
  };
}
