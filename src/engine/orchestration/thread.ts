import type { Message, ToolSpec } from "../models/model.ts";
import type { ModelRouter } from "../models/model-router.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolContext } from "../tools/tool.ts";

/** One conversation with a model inside a run: its agent, models and tools. A pattern may use several at once. */
export interface Thread {
  /** The current agent. */
  agent: string;
  /** Messages before the conversation in every call: the system prompt. */
  preamble: readonly Message[];
  /** The conversation, oldest first; grows with every turn. */
  messages: Message[];
  /** Returns the models of a role, or the agent's own if the role has none or no role is given. */
  routerFor(role?: string): ModelRouter;
  tools: ReadonlyMap<string, BoundTool>;
  toolSpecs: readonly ToolSpec[];
  /** Facts about the run for tools. */
  toolContext: Omit<ToolContext, "runAgent">;
  maxToolResultTokens: number;
  /** Limits on its model calls. */
  allowances: readonly Allowance[];
  /** Parent of the spans of its calls. */
  span: SpanHandle;
}

/** The same agent with another conversation that begins with `messages`. */
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

/** The thread with its pattern's instruction at the end of the system prompt. The text is the same in every call, so it is cached. */
export function instructed(thread: Thread, instruction: string): Thread {
  const at = thread.preamble.findLastIndex(({ role }) => role === "system");
  const system = thread.preamble[at];
  if (system === undefined) {
    const only: Message = { role: "system", content: instruction };
    return { ...thread, preamble: [only, ...thread.preamble] };
  }
  const longer = { ...system, content: `${system.content}\n\n${instruction}` };
  return { ...thread, preamble: thread.preamble.with(at, longer) };
}
