import type { Message, ToolSpec } from "../models/model.ts";
import type { ModelRouter } from "../models/model-router.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolContext } from "../tools/tool.ts";

/** One conversation with a model inside a run: who speaks in it, and what it may use. A pattern may hold several at once. */
export interface Thread {
  /** The agent that speaks. */
  agent: string;
  /** What stands before the conversation in every call: the system prompt. */
  preamble: readonly Message[];
  /** The conversation, oldest first; grows with every turn. */
  messages: Message[];
  /** The models of a role, or the agent's own where the role has none (or none is named). */
  routerFor(role?: string): ModelRouter;
  tools: ReadonlyMap<string, BoundTool>;
  toolSpecs: readonly ToolSpec[];
  /** What tools are told of the run. */
  toolContext: Omit<ToolContext, "runAgent">;
  maxToolResultTokens: number;
  /** What bounds its model calls. */
  allowances: readonly Allowance[];
  /** Parent of the spans of its calls. */
  span: SpanHandle;
}

/** The same speaker with a conversation of its own that begins with `messages`. */
export function branch(
  thread: Thread,
  own: Pick<Thread, "messages"> & Partial<Omit<Thread, "messages">>,
): Thread {
  return { ...thread, ...own };
}

/** The thread without the tools that `keep` refuses. */
export function withTools(thread: Thread, keep: (tool: BoundTool) => boolean): Thread {
  const tools = new Map([...thread.tools].filter(([, tool]) => keep(tool)));
  return { ...thread, tools, toolSpecs: thread.toolSpecs.filter(({ name }) => tools.has(name)) };
}
