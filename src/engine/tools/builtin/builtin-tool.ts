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
  /** What a call would do, and to what, where it is to be proposed; absent: it is named after the tool. */
  describeCall?: DescribeCall<Record<string, unknown>>;
}

type Execute<Input> = (input: Input, context: ToolContext) => Promise<ToolResult>;
type DescribeCall<Input> = (input: Input) => { target: string; operation: string };

/** A built-in tool whose `build` sees its options and its input with the types of their schemas. */
export function builtinTool<P extends TObject, O extends TObject>(
  tool: Omit<BuiltinTool, "parameters" | "options" | "build" | "describeCall"> & {
    parameters: P;
    options: O;
    build(options: Static<O>, ports: ToolPorts): Execute<Static<P>>;
    describeCall?: DescribeCall<Static<P>>;
  },
): BuiltinTool {
  const { describeCall, ...rest } = tool;
  return {
    ...rest,
    ...(describeCall && { describeCall: (input) => describeCall(input as Static<P>) }),
    build: (options, ports) => tool.build(options as Static<O>, ports) as Execute<Record<string, unknown>>,
  };
}
