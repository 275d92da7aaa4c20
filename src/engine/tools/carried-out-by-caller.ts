import type { PatternRun } from "../orchestration/pattern.ts";
import type { Thread } from "../orchestration/thread.ts";
import type { BoundTool } from "./bound-tool.ts";
import { notHere } from "./client-tool.ts";
import { admitCall, plainResult } from "./execute-tool.ts";
import type { ToolResult } from "./tool.ts";

/** Result of a call with `type: client`. Checks the rate limit and the input; the run pauses until the caller has carried out the call. */
export async function carriedOutByCaller(
  { tape, signal }: Pick<PatternRun, "tape" | "signal">,
  bound: BoundTool,
  input: Record<string, unknown>,
  { agent, toolContext }: Pick<Thread, "agent" | "toolContext">,
): Promise<ToolResult> {
  const { tool, byCaller } = bound;
  const admitted = await admitCall(bound, input, toolContext);
  if ("success" in admitted) return admitted;
  if (tape?.answer === undefined) return { success: false, error: notHere(tool.name) };
  const call = { agent, tool: tool.name, input: admitted.input, awaits: "result" as const, ...byCaller };
  return plainResult(await tape.answer({ agent }, call, signal), toolContext.maskKnown);
}
