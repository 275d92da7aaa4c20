import { AppError } from "../../../kit/app-error.ts";
import type { RunnableAgent } from "../../agents/runnable-agent.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import { type SubRun, sourceOf } from "../../run-state/run-request.ts";
import type { Run } from "../run.ts";

/** Maximum nesting of agents; more is an accidental loop. */
const depthMax = 8;

/**
 * Starts a run inside `run`. Throws AppError `agent_not_found`, or `agents_nested` if the agent is already running above or the nesting is
 * too deep.
 */
export function startSubRun(run: Run, sub: SubRun): AsyncGenerator<RunEvent, void> {
  const agent = run.ports.findAgent(run.request.tenant, sub.agent);
  if (agent === undefined) {
    throw new AppError(
      "not_found",
      "agent_not_found",
      `There is no agent named ${JSON.stringify(sub.agent)}.`,
    );
  }
  const path = [...(run.parent?.path ?? []), run.agent.name];
  requireWayDown(path, agent);
  const { limits, sessionId, tenant, requestId, history, means, progress, traceContent } = run.request;
  const { toolStubs, remember } = run.request;
  const { query, context, cancelledBy, timeoutMs } = sub.request;
  const timeouts = [limits?.timeoutMs, timeoutMs].filter((ms) => ms !== undefined);
  return run.startInside(
    agent,
    {
      tenant,
      sessionId,
      query,
      context,
      stream: false,
      source: sourceOf(run.request),
      cancelledBy,
      limits: {
        ...(limits?.callTokens === undefined ? {} : { callTokens: limits.callTokens }),
        ...(limits?.iterations === undefined ? {} : { iterations: limits.iterations }),
        ...(timeouts.length === 0 ? {} : { timeoutMs: Math.min(...timeouts) }),
      },
      ...(means === undefined ? {} : { means }),
      ...(progress === undefined ? {} : { progress }),
      ...(traceContent === undefined ? {} : { traceContent }),
      ...(toolStubs === undefined ? {} : { toolStubs }),
      ...(remember === undefined ? {} : { remember }),
      ...(run.interceptor === undefined ? {} : { interceptor: run.interceptor }),
      // If the caller keeps the conversation, nothing is stored here.
      ...(history === undefined ? {} : { history: [] }),
      ...(requestId === undefined ? {} : { requestId }),
    },
    {
      run,
      trace: run.trace,
      span: sub.span,
      allowances: sub.allowances,
      proposals: run.proposals,
      path,
      walksChain: sub.walksChain,
    },
  );
}

function requireWayDown(path: readonly string[], { name }: RunnableAgent): void {
  const way = [...path, name].join(" → ");
  if (path.includes(name)) {
    throw new AppError(
      "unprocessable",
      "agents_nested",
      `These agents would call each other in a cycle: ${way}.`,
    );
  }
  if (path.length >= depthMax) {
    throw new AppError(
      "unprocessable",
      "agents_nested",
      `More than ${depthMax} agents would stand below each other: ${way}.`,
    );
  }
}
