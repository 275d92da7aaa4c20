import type { Proposal } from "../../../contracts/daemon/runs/run.ts";
import type { SubAgentRequest, ToolResult } from "../../../engine/tools/tool.ts";
import { toAppError } from "../../../kit/app-error.ts";
import type { DaemonDeps } from "../deps.ts";
import { runInput } from "../runs/run-input.ts";
import { runOnce } from "../runs/run-once.ts";

interface AloneOptions {
  sessionId: string;
  requestId: string;
  /** Whether the trace has the question and the answer; undefined: as the settings say. */
  traceContent: boolean | undefined;
}

/** Runs an agent as a separate run, for a tool that is executed outside a run. Never throws: a failure becomes a failed result. */
export async function runAlone(
  deps: DaemonDeps,
  { agent, query, context, signal, timeoutMs }: SubAgentRequest,
  { sessionId, requestId, traceContent }: AloneOptions,
): Promise<{ result: ToolResult; proposed: readonly Proposal[] }> {
  try {
    const wish = traceContent === undefined ? {} : { trace_content: traceContent };
    const body = { query, session_id: sessionId, context, ...wish };
    const request = runInput(deps, body, { stream: false, signal, requestId });
    const limits = timeoutMs === undefined ? {} : { limits: { timeoutMs } };
    const run = await runOnce(deps, deps.catalog.get(agent), { ...request, ...limits }, false);
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
