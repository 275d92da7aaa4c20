import { inPieces } from "../../kit/concurrency/others-turn.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import { notHere } from "../tools/client-tool.ts";
import { admitCall, plainResult } from "../tools/execute-tool.ts";
import type { AnsweredCall, PersonsAnswer } from "../tools/mcp/mcp-client.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { PatternRun } from "./pattern.ts";
import type { ModelThread } from "./thread.ts";

/**
 * Carries out a call of a tool with `requires_approval` once a person has approved it. Until then the run pauses. A rejected call returns a
 * failed result that says so. If the input is not valid, no approval is requested, and the tool refuses the call.
 */
export async function onceApproved(
  { interceptor, signal }: Pick<PatternRun, "interceptor" | "signal">,
  agent: string,
  { tool: { name }, read }: BoundTool,
  input: Record<string, unknown>,
  carryOut: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const given = await inPieces(read(input));
  if ("fault" in given) return carryOut();
  if (interceptor?.decision === undefined)
    return failed(`${name} needs a person's approval, which can't be asked for here.`);
  const { verdict, comment } = await interceptor.decision(
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

/** Result of a call with `type: client`. Checks the rate limit and the input; the run pauses until the caller has carried out the call. */
export async function carriedOutByCaller(
  { interceptor, signal }: Pick<PatternRun, "interceptor" | "signal">,
  bound: BoundTool,
  input: Record<string, unknown>,
  { agent, toolContext }: Pick<ModelThread, "agent" | "toolContext">,
): Promise<ToolResult> {
  const { tool, byCaller } = bound;
  const admitted = await admitCall(bound, input, toolContext);
  if ("success" in admitted) return admitted;
  if (interceptor?.answer === undefined) return { success: false, error: notHere(tool.name) };
  const call = { agent, tool: tool.name, input: admitted.input, awaits: "result" as const, ...byCaller };
  return plainResult(await interceptor.answer({ agent }, call, signal), toolContext.maskKnown);
}

/** Rounds of questions of one call. */
const roundsMax = 10;

/**
 * Result of a call whose server may ask a person before it goes on with it. Each question pauses the run as an approval does. `makeCall`
 * begins the call, or goes on with it.
 */
export async function onceAnswered(
  { interceptor, signal }: Pick<PatternRun, "interceptor" | "signal">,
  agent: string,
  { tool: { name } }: BoundTool,
  input: Record<string, unknown>,
  makeCall: (answered?: AnsweredCall) => Promise<ToolResult>,
): Promise<ToolResult> {
  let result = await makeCall();
  for (let round = 0; !result.success && result.asks !== undefined; round++) {
    if (interceptor?.decision === undefined || round === roundsMax)
      return failed(`${name} failed: its server asked more than ${roundsMax} times.`);
    const { questions, state } = result.asks;
    const responses: Record<string, PersonsAnswer> = {};
    for (const [key, question] of Object.entries(questions)) {
      const call = { agent, tool: name, input, question };
      const { verdict, answer, cancel } = await interceptor.decision({ agent }, call, signal);
      if (verdict === "approved")
        responses[key] = {
          action: "accept",
          ...(question.fields !== undefined && { content: answer ?? {} }),
        };
      else responses[key] = { action: cancel === true ? "cancel" : "decline" };
    }
    result = await makeCall({ responses, state });
  }
  return result;
}
