import { inPieces } from "../../kit/concurrency/others-turn.ts";
import type { PatternRun } from "../orchestration/pattern.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolResult } from "../tools/tool.ts";

/**
 * Carries out a call of a tool with `requires_approval` once a person has approved it. Until then the run pauses. A rejected call returns a
 * failed result that says so. If the input is not valid, no approval is requested, and the tool refuses the call.
 */
export async function onceApproved(
  { tape, signal }: Pick<PatternRun, "tape" | "signal">,
  agent: string,
  { tool: { name }, read }: BoundTool,
  input: Record<string, unknown>,
  carryOut: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const given = await inPieces(read(input));
  if ("fault" in given) return carryOut();
  if (tape?.decision === undefined)
    return failed(`${name} needs a person's approval, which can't be asked for here.`);
  const { verdict, comment } = await tape.decision(
    { agent },
    { agent, tool: name, input: given.input },
    signal,
  );
  if (verdict === "approved") return carryOut();
  const reason = comment === undefined ? "" : ` They said: ${comment}`;
  return failed(`A person rejected this call of ${name}, and it was not carried out.${reason}`);
}

function failed(error: string): ToolResult {
  return { success: false, error };
}
