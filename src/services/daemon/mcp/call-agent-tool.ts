import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { AgentToolInput } from "../../../contracts/daemon/mcp.ts";
import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import { logRefusal } from "../../../http/errors/error-answer.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { admitRun } from "../runs/admit-run.ts";
import { locateAgent } from "../runs/locate-agent.ts";
import { runInput } from "../runs/run-input.ts";
import { agentOfTool } from "./agent-tools.ts";
import { createProgressReport, type ProgressReport } from "./progress-report.ts";
import { type AnswerMethod, type RpcContext, readParams } from "./rpc-context.ts";
import { createdTask } from "./tasks/task-methods.ts";
import { toolFailure, toolResult } from "./tool-result.ts";

const ProgressToken = Type.Union([Type.String(), Type.Integer()]);

const CallParams = Type.Object({
  name: Type.String(),
  arguments: Type.Optional(Type.Unknown()),
  _meta: Type.Optional(Type.Object({ progressToken: Type.Optional(ProgressToken) })),
});

/**
 * `tools/call`: runs the agent through the same gate and within the same limits as every other surface. A failure is returned as the tool's
 * result, so the calling model can read it. Only an unknown tool is a protocol error.
 */
export const callAgentTool: AnswerMethod = async (params, context) => {
  const asked = readParams(CallParams, params);
  const { deps, signal, call } = context;
  const name = await agentOfTool(asked.name, deps);
  const token = asked._meta?.progressToken;
  const report = token === undefined ? undefined : createProgressReport(token, context);
  try {
    if (context.tasks !== undefined) return await runAsTask(name, asked.arguments ?? {}, context, report);
    return toolResult(await runTool(name, asked.arguments ?? {}, context, report));
  } catch (thrown) {
    const error = toAppError(thrown);
    logRefusal(call.log, error, signal);
    return toolFailure(error);
  } finally {
    report?.end();
  }
};

async function runTool(
  name: string,
  input: unknown,
  { deps, conversation, signal, call }: RpcContext,
  report: ProgressReport | undefined,
): Promise<RunResult> {
  const agent = await locateAgent(deps, name, { sender: "stranger" });
  const asked = requireInput(input);
  const request = runInput(
    deps,
    { ...(conversation !== undefined && { session_id: conversation }), ...asked },
    { stream: report !== undefined, signal, requestId: call.requestId },
  );
  if (report !== undefined) request.progress = (told) => report.tool(told);
  for await (const event of admitRun(deps, agent, request)) {
    if (event.type === "done") return event.result;
    report?.add(event);
  }
  throw new AppError("internal", "internal", "The run ended without a result.");
}

/** Runs the agent for a client that takes a task in place of a result that is late. */
async function runAsTask(
  agent: string,
  given: unknown,
  { deps, tasks: client = "", signal, call }: RpcContext,
  report: ProgressReport | undefined,
): Promise<object> {
  const input = requireInput(given);
  // What is refused before the run begins is no task.
  await locateAgent(deps, agent, { sender: "stranger" });
  runInput(deps, input, { stream: false, signal, requestId: call.requestId });
  const outcome = await deps.tasks.call({ client, agent, input, requestId: call.requestId, signal, report });
  return "tenant" in outcome ? createdTask(outcome) : outcome;
}

function requireInput(input: unknown): Static<typeof AgentToolInput> {
  if (Value.Check(AgentToolInput, input)) return input;
  throw invalidPart("The arguments object", Value.Errors(AgentToolInput, input), AgentToolInput);
}
