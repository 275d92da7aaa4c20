import type { Proposal } from "../../../contracts/daemon/runs/run.ts";
import type { DeclaredSource } from "../../../contracts/daemon/runs/run-source.ts";
import type { ToolExecuted, ToolExecution } from "../../../contracts/daemon/tools.ts";
import { type LiveTools, withToolsReady } from "../../../engine/agents/live-tools.ts";
import { knowledgeOf, type RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { modelsOutside } from "../../../engine/run/models-outside.ts";
import { maskFor } from "../../../engine/run/own-secrets.ts";
import { ProposalList } from "../../../engine/run-state/proposal-list.ts";
import { roundMs } from "../../../engine/telemetry/trace-recorder.ts";
import { type BoundTool, waitsForCaller } from "../../../engine/tools/bound-tool.ts";
import { executeTool } from "../../../engine/tools/execute-tool.ts";
import { boundToNobody } from "../../../engine/tools/own/bind-own-tool.ts";
import type { SubAgentRequest, ToolResult } from "../../../engine/tools/tool.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import type { DaemonMetrics } from "../metrics/daemon-metrics.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import { locateAgent } from "../runs/locate-agent.ts";
import { runInput } from "../runs/run-input.ts";
import { runOnce } from "../runs/run-once.ts";
import type { OwnToolFiles } from "./own-tool-files.ts";

export interface ToolDeps extends RunDeps {
  /** Built-in tools with their default configuration, by name. */
  builtinTools: ReadonlyMap<string, BoundTool>;
  ownTools: OwnToolFiles;
  metrics: DaemonMetrics;
}

/** Abort signal and id of a request that executes a tool. */
export interface DirectCaller {
  signal: AbortSignal;
  requestId: string;
}

/**
 * Executes a tool for an API caller. If an agent is named, uses the agent's configuration of the tool. The answer lists the changes that
 * the tool, or an agent run by it, only proposed.
 */
export async function executeDirectly(
  deps: ToolDeps,
  request: ToolExecution,
  { signal, requestId }: DirectCaller,
): Promise<ToolExecuted> {
  const { agent, tool } = await findTool(deps, request, signal);
  refuseWaiting(tool, agent);
  // An agent remembers its sessions, so a shared default session would be visible to every caller without one.
  const sessionId = request.session_id ?? (tool.worker === undefined ? "direct" : deps.newId());
  const proposals = new ProposalList();
  const ofAgents: Proposal[] = [];
  const stopped = AbortSignal.any([signal, deps.stopping]);
  const session = {
    tenant: operatorTenant,
    sessionId,
    ...(request.source && { source: request.source }),
  };
  const models = agent && tool.asksModel ? modelsOutside(deps.runs, agent, session, stopped) : undefined;
  const maskKnown = maskFor(deps.runs, agent);
  const startedMs = deps.clock.monotonicMs();
  const output = await executeTool(tool, request.input, {
    ...session,
    ...(agent && knowledgeOf(agent, operatorTenant)),
    agent: agent?.name ?? "",
    signal: stopped,
    clock: deps.clock,
    log: deps.log,
    ...(maskKnown && { maskKnown }),
    runAgent: async (sub) => {
      const { result, proposed } = await runAlone(deps, sub, {
        sessionId,
        requestId,
        traceContent: request.trace_content,
        source: request.source,
      });
      ofAgents.push(...proposed);
      return result;
    },
    propose: async (call) => proposals.add(call, undefined),
    ...(models && { modelOf: models.modelOf }),
  });
  await models?.finish();
  const latencyMs = deps.clock.monotonicMs() - startedMs;
  deps.metrics.toolExecuted({ tool: request.tool, ok: output.success, latencyMs, hasEffects: true });
  const propuestas = [...proposals.all, ...ofAgents];
  return {
    tool: request.tool,
    output,
    timing_ms: roundMs(latencyMs),
    ...(tool.proposes || propuestas.length > 0 ? { propuestas } : {}),
  };
}

/** A tool, and the agent whose entry configures it; undefined if no agent does. */
interface FoundTool {
  agent: RunnableAgent | undefined;
  tool: BoundTool;
}

/**
 * Finds the tool of the named agent. Without an agent, finds one of these: the built-in tool with default configuration, the tool of the
 * only agent that has it, or a custom tool that no agent has.
 */
async function findTool(
  deps: ToolDeps,
  { tool: name, agent: named }: ToolExecution,
  signal: AbortSignal,
): Promise<FoundTool> {
  const { catalog, builtinTools, ownTools } = deps;
  if (named !== undefined) {
    const agent = await withToolsReady(await catalog.get(named), signal);
    return { agent, tool: agent.tools.get(name) ?? refuseUnknown(name, agent.tools.keys(), agent.live) };
  }
  const builtin = builtinTools.get(name);
  if (builtin !== undefined) return { agent: undefined, tool: builtin };
  const loaded = catalog.list().flatMap(({ agent }) => agent ?? []);
  const agents = await Promise.all(loaded.map((agent) => withToolsReady(agent, signal)));
  const holders = agents.filter(({ tools }) => tools.has(name));
  const [holder] = holders;
  if (holders.length > 1) throw agentRequired(name, holders);
  if (holder !== undefined) {
    // Throws if the agent is paused.
    await catalog.get(holder.name);
    return { agent: holder, tool: holder.tools.get(name) ?? refuseUnknown(name, []) };
  }
  await ownTools.ready();
  const own = ownTools.find(name);
  if (own !== undefined) return { agent: undefined, tool: boundToNobody(own, ownTools) };
  const names = [...builtinTools.keys(), ...agents.flatMap(({ tools }) => [...tools.keys()])];
  return refuseUnknown(name, [...names, ...ownTools.list().map((tool) => tool.name)]);
}

function agentRequired(name: string, holders: readonly RunnableAgent[]): AppError {
  const names = holders.map((holder) => holder.name).sort();
  return new AppError(
    "invalid",
    "agent_required",
    `${names.length} agents have the tool ${name}, each with its own configuration: ${names.join(", ")}.`,
    { details: { hint: `Name one of them as agent, for example "agent": ${JSON.stringify(names[0])}.` } },
  );
}

/** Refuses a tool that waits for a person or a caller, because only a run can wait. */
function refuseWaiting(bound: BoundTool, agent: RunnableAgent | undefined): void {
  const { name } = bound.tool;
  const hint = agent && `Run the agent instead: POST /v1/agents/${agent.name}/run waits for it.`;
  const details = hint === undefined ? {} : { details: { hint } };
  if (bound.requiresApproval) {
    const message = `Each call of ${name} needs the approval of a person, which only a run can wait for.`;
    throw new AppError("conflict", "approval_required", message, details);
  }
  if (waitsForCaller(bound)) {
    const message = `${name} is carried out by the caller of a run, not by Argosy.`;
    throw new AppError("conflict", "tool_of_caller", message, details);
  }
}

function refuseUnknown(name: string, names: Iterable<string>, live?: LiveTools): never {
  const near = didYouMean(name, names);
  const guess = near === undefined ? "GET /v1/tools lists the tools." : `Did you mean ${near}?`;
  throw new AppError("not_found", "tool_not_found", "There is no tool with this name.", {
    details: { hint: downServer(name, live) ?? guess },
  });
}

/** Returns a message if the tool's server is down. */
function downServer(name: string, live: LiveTools | undefined): string | undefined {
  const source = live?.sources.find(({ source: { entry } }) => name.startsWith(`${entry}__`))?.source;
  const fault = source?.mcp?.status().fault;
  return fault === undefined ? undefined : `Its server ${source?.entry} is down: ${fault}.`;
}

interface AloneOptions {
  sessionId: string;
  requestId: string;
  /** True if the trace includes question and answer; undefined: according to the settings. */
  traceContent: boolean | undefined;
  source: DeclaredSource | undefined;
}

/** Runs an agent as a separate run, for a tool that is executed outside a run. Never throws: a failure becomes a failed result. */
async function runAlone(
  deps: RunDeps,
  { agent, query, context, signal, timeoutMs }: SubAgentRequest,
  { sessionId, requestId, traceContent, source }: AloneOptions,
): Promise<{ result: ToolResult; proposed: readonly Proposal[] }> {
  try {
    const content = traceContent === undefined ? {} : { trace_content: traceContent };
    const body = { query, session_id: sessionId, context, ...content, ...(source && { source }) };
    const request = runInput(deps, body, { stream: false, signal, requestId });
    const limits = timeoutMs === undefined ? {} : { limits: { timeoutMs } };
    const located = await locateAgent(deps, agent, { sender: "owner" });
    const run = await runOnce(deps, located, { ...request, ...limits });
    const { response, data, propuestas = [] } = run;
    return {
      result: { success: true, data: data == null ? response : { response, data } },
      proposed: propuestas.map((proposal) => ({ ...proposal, via: proposal.via ?? agent })),
    };
  } catch (thrown) {
    const { code, message, kind } = toAppError(thrown);
    if (kind === "internal") deps.log.error("agent.failed", { agent, request_id: requestId, err: thrown });
    return { result: { success: false, error: `Agent ${agent} failed (${code}): ${message}` }, proposed: [] };
  }
}
