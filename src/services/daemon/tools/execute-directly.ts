import type { Proposal } from "../../../contracts/daemon/run.ts";
import type { ToolExecuted, ToolExecution } from "../../../contracts/daemon/tools.ts";
import { knowledgeOf } from "../../../engine/run/knowledge-of.ts";
import { type LiveTools, withToolsReady } from "../../../engine/run/live-tools.ts";
import { modelsOutside } from "../../../engine/run/models-outside.ts";
import { maskFor } from "../../../engine/run/own-secrets.ts";
import { ProposalList } from "../../../engine/run/proposal-list.ts";
import { roundMs } from "../../../engine/telemetry/trace-recorder.ts";
import type { BoundTool } from "../../../engine/tools/bound-tool.ts";
import { executeTool } from "../../../engine/tools/execute-tool.ts";
import { AppError } from "../../../kit/app-error.ts";
import { didYouMean } from "../../../kit/did-you-mean.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";
import { runAlone } from "./run-alone.ts";

/** Who executes a tool, and how long they stay. */
export interface DirectCaller {
  signal: AbortSignal;
  requestId: string;
}

/**
 * Executes a tool for a caller of the API, as an agent's tool entry configures it when an agent is named. What is only
 * proposed, by the tool or by the agent that it runs, stands in the answer.
 */
export async function executeDirectly(
  deps: DaemonDeps,
  request: ToolExecution,
  { signal, requestId }: DirectCaller,
): Promise<ToolExecuted> {
  const agent =
    request.agent === undefined ? undefined : await withToolsReady(deps.catalog.get(request.agent), signal);
  const tool = getTool(agent?.tools ?? deps.builtinTools, request.tool, agent?.live);
  // An agent remembers its sessions: nobody's belongs to every caller who names none.
  const sessionId = request.session_id ?? (tool.worker === undefined ? "direct" : deps.newId());
  const proposals = new ProposalList();
  const ofAgents: Proposal[] = [];
  const stopped = AbortSignal.any([signal, deps.stopping]);
  const session = { tenant: operatorTenant, sessionId };
  const models = agent && tool.asksModel ? modelsOutside(deps.runs, agent, session, stopped) : undefined;
  const maskKnown = maskFor(deps.runs, agent);
  const startedMs = deps.clock.monotonicMs();
  const output = await executeTool(tool, request.input, {
    ...session,
    ...(agent && knowledgeOf(agent, operatorTenant)),
    agent: request.agent ?? "",
    signal: stopped,
    clock: deps.clock,
    log: deps.log,
    ...(maskKnown && { maskKnown }),
    runAgent: async (sub) => {
      const { result, proposed } = await runAlone(deps, sub, { sessionId, requestId });
      ofAgents.push(...proposed);
      return result;
    },
    propose: async (call) => proposals.add(call, undefined),
    ...(models && { modelOf: models.modelOf }),
  });
  await models?.finish();
  const latencyMs = deps.clock.monotonicMs() - startedMs;
  deps.metrics.toolExecuted({ tool: request.tool, ok: output.success, latencyMs });
  const propuestas = [...proposals.all, ...ofAgents];
  return {
    tool: request.tool,
    output,
    timing_ms: roundMs(latencyMs),
    ...(tool.proposes || propuestas.length > 0 ? { propuestas } : {}),
  };
}

function getTool(tools: ReadonlyMap<string, BoundTool>, name: string, live?: LiveTools): BoundTool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const near = didYouMean(name, tools.keys());
  const guess = near === undefined ? "GET /v1/tools lists the tools." : `Did you mean ${near}?`;
  throw new AppError("not_found", "tool_not_found", "There is no tool with this name.", {
    details: { hint: downServer(name, live) ?? guess },
  });
}

/** The server that the tool would be of, when it is down. */
function downServer(name: string, live: LiveTools | undefined): string | undefined {
  const source = live?.sources.find(({ source: { entry } }) => name.startsWith(`${entry}__`))?.source;
  const fault = source?.status().fault;
  return fault === undefined ? undefined : `Its server ${source?.entry} is down: ${fault}.`;
}
