import { AppError } from "../../../kit/app-error.ts";
import type { Deadline } from "../../../kit/deadline.ts";
import type { Chain, ChainRun } from "../../chain/chain.ts";
import { runChain } from "../../chain/run-chain.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { Run } from "../run.ts";
import { startSubRun } from "./start-sub-run.ts";

/**
 * Runs the agents that follow the run's answer and fills `run.chain`. The time limit for the answer no longer applies: the chain may use
 * the rest of the caller's limit. Throws as `runChain`.
 */
export async function* followChain(
  run: Run,
  chain: Chain,
  deadline: Deadline,
): AsyncGenerator<RunEvent, void> {
  const { agent, request, query, response, structured, trace, ports, interceptor, allowances } = run;
  const startedMs = trace.elapsedMs();
  const timeoutMs = request.limits?.timeoutMs;
  const leftMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : timeoutMs - startedMs;
  deadline.restart(leftMs, () => timeIsUp(timeoutMs ?? 0));
  const start = {
    agent: agent.name,
    query,
    said: { answer: response, data: structured?.data },
    allowances,
    newId: () => interceptor?.newId({ agent: agent.name }, ports.newId) ?? ports.newId(),
  };
  try {
    run.chain = yield* runChain(chainRun(run), chain, start, deadline);
    trace.root.set("chain", run.chain.status);
  } finally {
    run.chainMs = trace.elapsedMs() - startedMs;
  }
}

function chainRun(run: Run): ChainRun {
  const { agent, request, trace, ports, interceptor } = run;
  return {
    request,
    guardrails: agent.outputGuardrails,
    trace,
    interceptor,
    clock: ports.clock,
    log: ports.log,
    chainOf: (name) => ports.findAgent(request.tenant, name)?.chain,
    startSubRun: (sub) => startSubRun(run, sub),
  };
}

function timeIsUp(timeoutMs: number): AppError {
  return new AppError(
    "timed_out",
    "orchestration_timeout",
    `The time limit of the run, ${timeoutMs / 1000} seconds, has passed.`,
  );
}
