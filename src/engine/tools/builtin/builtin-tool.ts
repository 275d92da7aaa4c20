import type { Static, TObject } from "@sinclair/typebox";
import type { Clock } from "../../../kit/clock.ts";
import type { TemplateEngine } from "../../prompts/template.ts";
import type { ToolCache } from "../tool-cache.ts";
import type { ToolContext, ToolResult } from "../tool.ts";

/** What built-in tools may use. */
export interface ToolPorts {
  templates: TemplateEngine;
  cache: ToolCache;
  clock: Clock;
}

type Execute<Input> = (input: Input, context: ToolContext) => Promise<ToolResult>;

/** One built-in tool: what a manifest may say about it, what a model is told, and how it is built. */
export interface BuiltinTool<Parameters extends TObject = TObject, Options extends TObject = TObject> {
  name: string;
  /** What the model is told. */
  description: string;
  /** Schema of the input. */
  parameters: Parameters;
  /** Schema of `config` in the tool's entry. */
  options: Options;
  build(options: Static<Options>, ports: ToolPorts): Execute<Static<Parameters>>;
}

/** Ties the types of a tool's parts together. */
export function builtinTool<Parameters extends TObject, Options extends TObject>(
  tool: BuiltinTool<Parameters, Options>,
): BuiltinTool {
  // Whatever calls `build` and what it returns has read its argument by these very schemas.
  return tool as unknown as BuiltinTool;
}
