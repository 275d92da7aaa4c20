import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import type { ToolSpec } from "../models/model.ts";
import { estimateTokens } from "../models/token-count.ts";
import type { BoundSource } from "../tools/bind-tools.ts";
import type { BoundTool } from "../tools/bound-tool.ts";

/** The tools of an agent at a point in time. */
export interface AgentTools {
  tools: ReadonlyMap<string, BoundTool>;
  toolSpecs: readonly ToolSpec[];
  /** Tokens of `toolSpecs` in the model's window. */
  toolTokens: number;
}

/** An agent with its tools; `live` is undefined if they never change. */
type WithTools = AgentTools & { live: LiveTools | undefined };

/** The tools of an agent if servers list some of them, so that they change over time. */
export interface LiveTools {
  sources: readonly BoundSource[];
  /** The current tools; the same object as long as they don't change. */
  now(): AgentTools;
  /** Resolves once lists that servers have announced were read; undefined if none was announced. */
  relisted(): Promise<unknown> | undefined;
  /** Resolves once servers that are starting have listed their tools or used up their start time; undefined if none is starting. */
  settled(): Promise<unknown> | undefined;
}

/** Tools offered to the model and their token count. `workers`: the agent tools that the pattern may use. */
export function agentTools(
  tools: ReadonlyMap<string, BoundTool>,
  workers: { has(name: string): boolean },
): AgentTools {
  const toolSpecs = [...tools.values()]
    .filter(({ tool, worker }) => worker === undefined || workers.has(tool.name))
    .map(({ tool: { name, description, parameters } }): ToolSpec => ({ name, description, parameters }));
  return {
    tools,
    toolSpecs,
    toolTokens: toolSpecs.length === 0 ? 0 : estimateTokens(JSON.stringify(toolSpecs)),
  };
}

/** The live and fixed tools of an agent; undefined if no server lists any. */
export function createLiveTools(
  fixed: ReadonlyMap<string, BoundTool>,
  sources: readonly BoundSource[],
  workers: { has(name: string): boolean },
): LiveTools | undefined {
  if (sources.length === 0) return undefined;
  let seen: readonly unknown[] = [];
  let last = agentTools(fixed, workers);
  return {
    sources,
    now() {
      const lists = sources.map(({ source }) => source.now());
      if (lists.every((list, index) => list === seen[index])) return last;
      seen = lists;
      last = agentTools(joined(fixed, sources), workers);
      return last;
    },
    relisted: () => allOf(sources.flatMap(({ source }) => source.relisted?.() ?? [])),
    settled: () => allOf(sources.flatMap(({ source }) => source.ready() ?? [])),
  };
}

const allOf = (waiting: readonly Promise<void>[]) =>
  waiting.length === 0 ? undefined : Promise.all(waiting);

/** The agent with its current tools. */
export function withToolsNow<Agent extends WithTools>(agent: Agent): Agent {
  return agent.live === undefined ? agent : { ...agent, ...agent.live.now() };
}

/** As `withToolsNow`, after waiting for servers that are starting. */
export async function withToolsReady<Agent extends WithTools>(
  agent: Agent,
  signal: AbortSignal,
): Promise<Agent> {
  const { live } = agent;
  if (live === undefined) return agent;
  const settled = live.settled();
  if (settled !== undefined) await untilAborted(signal, () => settled);
  return withToolsNow(agent);
}

/** The first tool keeps a name: the manifest's tools come before those of servers, and servers in their order. */
function joined(
  fixed: ReadonlyMap<string, BoundTool>,
  sources: readonly BoundSource[],
): ReadonlyMap<string, BoundTool> {
  const tools = new Map(fixed);
  for (const { source, terms } of sources) {
    for (const typed of source.now()) {
      const own = typed.tool.name;
      const name = tools.has(own) ? source.otherName(own) : own;
      if (!tools.has(name)) tools.set(name, { ...typed, ...terms, tool: { ...typed.tool, name } });
    }
  }
  return tools;
}
