import type { ToolExecuted, ToolExecution } from "../../../contracts/daemon/tools.ts";
import { roundMs } from "../../../engine/telemetry/trace-recorder.ts";
import type { BoundTool } from "../../../engine/tools/bound-tool.ts";
import { executeTool } from "../../../engine/tools/execute-tool.ts";
import type { SubAgentRequest, ToolResult } from "../../../engine/tools/tool.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { didYouMean } from "../../../kit/did-you-mean.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";
import { runInput } from "../runs/run-input.ts";
import { runOnce } from "../runs/run-once.ts";

/** Executes a tool for a caller of the API, as an agent's tool entry configures it when an agent is named. */
export async function executeDirectly(
  deps: DaemonDeps,
  request: ToolExecution,
  signal: AbortSignal,
): Promise<ToolExecuted> {
  const tools = request.agent === undefined ? deps.builtinTools : deps.catalog.get(request.agent).tools;
  const tool = getTool(tools, request.tool);
  const startedMs = deps.clock.monotonicMs();
  const output = await executeTool(tool, request.input, {
    tenant: operatorTenant,
    agent: request.agent ?? "",
    sessionId: request.session_id ?? "direct",
    signal: AbortSignal.any([signal, deps.stopping]),
    clock: deps.clock,
    log: deps.log,
    runAgent: (sub) => runAlone(deps, request, sub),
    propose: () => undefined,
  });
  const latencyMs = deps.clock.monotonicMs() - startedMs;
  deps.metrics.toolExecuted({ tool: request.tool, ok: output.success, latencyMs });
  return { tool: request.tool, output, timing_ms: roundMs(latencyMs) };
}

/** An agent tool that is executed outside of a run starts a run of its own. */
async function runAlone(
  deps: DaemonDeps,
  { session_id: sessionId = deps.newId() }: ToolExecution,
  { agent, query, context, signal }: SubAgentRequest,
): Promise<ToolResult> {
  const input = { query, session_id: sessionId, context };
  const caller = { stream: false, signal, requestId: deps.newId() };
  try {
    const { response } = await runOnce(deps, deps.catalog.get(agent), runInput(deps, input, caller), false);
    return { success: true, data: response };
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    return { success: false, error: `Agent ${agent} failed (${code}): ${message}` };
  }
}

function getTool(tools: ReadonlyMap<string, BoundTool>, name: string): BoundTool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const near = didYouMean(name, tools.keys());
  throw new AppError("not_found", "tool_not_found", "There is no tool with this name.", {
    details: { hint: near === undefined ? "GET /v1/tools lists the tools." : `Did you mean ${near}?` },
  });
}
