import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { ModelThread } from "../../orchestration/thread.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { SubAgentRequest, ToolResult } from "../../tools/tool.ts";
import type { Run } from "../run.ts";
import { startSubRun } from "./start-sub-run.ts";

/**
 * Runs another agent for a tool of this run, in the same session and below the span of the call. Errors become a failed result for the
 * model.
 */
export async function runSubAgent(
  run: Run,
  thread: ModelThread,
  span: SpanHandle,
  { agent, query, context, signal, timeoutMs }: SubAgentRequest,
): Promise<ToolResult> {
  try {
    const events = startSubRun(run, {
      agent,
      request: { query, context, cancelledBy: [signal], ...(timeoutMs === undefined ? {} : { timeoutMs }) },
      span,
      allowances: thread.allowances,
      walksChain: false,
    });
    for await (const event of events) {
      if (event.type !== "done") continue;
      const { response, data } = event.result;
      return { success: true, data: data == null ? response : { response, data } };
    }
    throw new AppError("internal", "internal", `Agent ${agent} ended without a result.`);
  } catch (thrown) {
    const { code, message, kind } = toAppError(thrown);
    if (kind === "internal") run.ports.log.error("agent.failed", { agent, err: thrown });
    return { success: false, error: `Agent ${agent} failed (${code}): ${message}` };
  }
}
