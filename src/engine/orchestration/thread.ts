import type { Message, ToolSpec } from "../models/model.ts";
import type { ModelRouter } from "../models/model-router.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolContext } from "../tools/tool.ts";

/** One conversation with a model inside a run: its agent, models and tools. A pattern may use several at once. */
export interface ModelThread {
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
  /** The agent's own tools if its servers may change them during the run. */
  listed?: ListedTools;
  /** Facts about the run for tools. */
  toolContext: Omit<ToolContext, "runAgent">;
  maxToolResultTokens: number;
  /** Limits on its model calls. */
  allowances: readonly Allowance[];
  /** Parent of the spans of its calls. */
  span: SpanHandle;
}

export interface ListedTools {
  /** The tools when they were last looked at. */
  seen: ReadonlyMap<string, BoundTool>;
  /** Returns the tools of the moment, after lists that servers have announced. */
  now(): Promise<ReadonlyMap<string, BoundTool>>;
}

/** The same agent with another conversation that begins with `messages`. */
export function branch(
  thread: ModelThread,
  own: Pick<ModelThread, "messages"> & Partial<Omit<ModelThread, "messages">>,
): ModelThread {
  return { ...thread, ...own };
}

/** The thread without the tools that `keep` refuses. */
export function withTools(thread: ModelThread, keep: (tool: BoundTool) => boolean): ModelThread {
  const tools = new Map([...thread.tools].filter(([, tool]) => keep(tool)));
  return { ...thread, tools, toolSpecs: thread.toolSpecs.filter(({ name }) => tools.has(name)) };
}

/**
 * The thread with the tools that its agent's servers have now: new ones are offered, removed ones no longer. Tools that a pattern has taken
 * away stay away.
 */
export async function withLatestTools(thread: ModelThread, listed: ListedTools): Promise<ModelThread> {
  const before = listed.seen;
  const now = await listed.now();
  if (now === before) return thread;
  const tools = new Map(thread.tools);
  const specs = new Map(thread.toolSpecs.map((spec) => [spec.name, spec]));
  for (const [name, bound] of before) {
    if (now.get(name) === bound || tools.get(name) !== bound) continue;
    tools.delete(name);
    specs.delete(name);
  }
  for (const [name, bound] of now) {
    const isTakenAway = before.has(name) && !thread.tools.has(name);
    if (before.get(name) === bound || isTakenAway || tools.has(name)) continue;
    const { description, parameters } = bound.tool;
    tools.set(name, bound);
    specs.set(name, { name, description, parameters });
  }
  return { ...thread, tools, toolSpecs: [...specs.values()], listed: { ...listed, seen: now } };
}

/** The thread with its pattern's instruction at the end of the system prompt. The text is the same in every call, so it is cached. */
export function instructed(thread: ModelThread, instruction: string): ModelThread {
  const at = thread.preamble.findLastIndex(({ role }) => role === "system");
  const system = thread.preamble[at];
  if (system === undefined) {
    const only: Message = { role: "system", content: instruction };
    return { ...thread, preamble: [only, ...thread.preamble] };
  }
  const longer = { ...system, content: `${system.content}\n\n${instruction}` };
  return { ...thread, preamble: thread.preamble.with(at, longer) };
}
