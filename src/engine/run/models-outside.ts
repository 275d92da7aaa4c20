import type { RunnableAgent } from "../agents/runnable-agent.ts";
import { modelOfThread } from "../orchestration/model-call/model-of-thread.ts";
import { HeldText } from "../run-state/held-text.ts";
import type { EngineRequest } from "../run-state/run-request.ts";
import { newRunState } from "../run-state/run-state.ts";
import { createTokenAllowance } from "../spending/token-allowance.ts";
import { TraceRecorder } from "../telemetry/trace-recorder.ts";
import type { ToolModel } from "../tools/tool.ts";
import { recordUsage } from "./finish-run.ts";
import type { RunPorts } from "./run.ts";

/** The models of an agent for a tool that is executed outside of a run. */
export interface ModelsOutside {
  modelOf(role: string): ToolModel;
  /** Records their usage once all calls have ended. Never throws. */
  finish(): Promise<void>;
}

/** Creates them. Their calls are limited like a run of the agent, including its budget, and count as usage of the agent. */
export function modelsOutside(
  ports: RunPorts,
  agent: RunnableAgent,
  request: Pick<EngineRequest, "tenant" | "sessionId" | "source">,
  signal: AbortSignal,
): ModelsOutside {
  const { clock, newId, budgetOf } = ports;
  const state = newRunState([]);
  const calls: Promise<unknown>[] = [];
  const trace = new TraceRecorder(clock, newId(), "tool.execute", { agent: agent.name });
  const budget = budgetOf(request.tenant, agent.name);
  const caller = {
    state,
    held: new HeldText(),
    stream: false,
    parameters: undefined,
    bundles: false,
    callTokensMax: undefined,
    answerSchema: undefined,
    trace,
    record: undefined,
    interceptor: undefined,
    clock,
    log: ports.log,
    signal,
  };
  const thread = {
    agent: agent.name,
    preamble: [],
    messages: [],
    routerFor: agent.routerFor,
    toolSpecs: [],
    allowances: [
      ...(agent.maxRunTokens === undefined ? [] : [createTokenAllowance(agent.maxRunTokens)]),
      ...(budget === undefined ? [] : [budget]),
    ],
    span: trace.root,
  };
  return {
    modelOf: (role) => modelOfThread(caller, thread, role, calls),
    async finish() {
      await Promise.allSettled(calls);
      recordUsage({ agent, request, state, ports });
    },
  };
}
