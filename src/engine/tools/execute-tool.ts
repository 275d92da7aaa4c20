import { AppError } from "../../kit/app-error.ts";
import { startDeadline } from "../../kit/deadline.ts";
import type { BoundTool } from "./bound-tool.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/**
 * Executes a tool within its rate and time limits on an input that its schema accepts. Whatever goes wrong is a failed
 * result that tells the model what to do about it; nothing is thrown.
 */
export async function executeTool(bound: BoundTool, input: unknown, context: ToolContext): Promise<ToolResult> {
  const { tool, timeoutMs, rateLimit, read } = bound;
  const waitMs = rateLimit?.admit(JSON.stringify([context.tenant, context.agent, tool.name]));
  if (waitMs !== undefined) {
    return failed(`${tool.name} was called too often; it can be called again in ${Math.ceil(waitMs / 1000)} s.`);
  }
  const checked = read(input);
  if ("fault" in checked) return failed(`The input of ${tool.name} is not valid: ${checked.fault}.`);
  const timedOut = () =>
    new AppError("timed_out", "tool_timeout", `${tool.name} did not finish within ${timeoutMs / 1000} s.`);
  const deadline = startDeadline(context.clock, timeoutMs, timedOut, [context.signal]);
  try {
    const pending = tool.execute(checked.input, { ...context, signal: deadline.signal });
    return asJson(await unlessAborted(pending, deadline.signal));
  } catch (thrown) {
    return failed(thrown instanceof AppError ? thrown.message : `${tool.name} failed.`);
  } finally {
    deadline.dispose();
  }
}

function failed(error: string): ToolResult {
  return { success: false, error };
}

/** A tool that does not listen to its signal must not hold up the run. */
function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    pending.then(resolve, reject);
  });
}

/** What a tool answers goes to models, memory and clients: it has to be JSON. */
function asJson(result: ToolResult): ToolResult {
  if (!result.success) return result;
  try {
    const json = JSON.stringify(result.data);
    return json === undefined ? { success: true, data: null } : result;
  } catch {
    return failed("The result can't be written as JSON.");
  }
}
