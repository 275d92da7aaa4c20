import type { RunResult } from "../../contracts/daemon/run.ts";
import { AppError } from "../../kit/app-error.ts";
import { startDeadline } from "../../kit/deadline.ts";
import { TraceRecorder } from "../telemetry/trace-recorder.ts";
import { checkInput } from "./check-input.ts";
import { finishRun, type RunEnding } from "./finish-run.ts";
import { guardOutput } from "./guard-output.ts";
import { persistTurns } from "./persist-turns.ts";
import { recallTurns } from "./recall-turns.ts";
import { renderPrompt } from "./render-prompt.ts";
import type { Run, RunPorts } from "./run.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunRequest } from "./run-request.ts";
import { newRunState } from "./run-state.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/**
 * Runs an agent: guardrails, memory, prompt, orchestration, guardrails, memory. Every surface reads this one generator.
 * Throws AppError when the run fails; a reader that stops early cancels it. However it ends, `finishRun` is called once.
 */
export async function* runAgent(
  ports: RunPorts,
  agent: RunnableAgent,
  request: RunRequest,
): AsyncGenerator<RunEvent, void> {
  const deadline = startDeadline(
    ports.clock,
    agent.timeoutMs,
    () => orchestrationTimeout(agent),
    request.cancelledBy,
  );
  const attributes = { agent: agent.name, session: request.sessionId };
  const run: Run = {
    ports,
    agent,
    request,
    state: newRunState([]),
    trace: new TraceRecorder(ports.clock, ports.newId(), "agent.run", attributes),
    signal: deadline.signal,
    query: request.query,
    response: "",
    inputRedacted: false,
    outputFiltered: false,
  };
  ports.observer.runStarted(agent.name, request.sessionId);
  let ending: RunEnding = { status: "cancelled" };
  let result: RunResult | undefined;
  try {
    yield* steps(run);
    ending = { status: "ok" };
  } catch (thrown) {
    const cancelled = request.cancelledBy.some((signal) => signal.aborted);
    const fault = cancelled
      ? runCancelled(deadline.signal.reason)
      : deadline.expired
        ? deadline.signal.reason
        : thrown;
    ending = endingOf(fault);
    throw fault;
  } finally {
    deadline.dispose();
    result = finishRun(run, ending);
  }
  yield { type: "done", result };
}

async function* steps(run: Run): AsyncGenerator<RunEvent, void> {
  yield* checkInput(run);
  const turns = await recallTurns(run);
  const systemPrompt = renderPrompt(run, turns);
  yield* orchestrate(run, systemPrompt);
  await persistTurns(run);
}

async function* orchestrate(run: Run, systemPrompt: string): AsyncGenerator<RunEvent, void> {
  const { agent, request, state, trace, ports } = run;
  const span = trace.start("orchestration", { pattern: agent.pattern.name });
  try {
    const outcome = yield* guardOutput(
      run,
      agent.pattern.run({
        state,
        systemPrompt,
        router: agent.router,
        tools: agent.tools,
        toolSpecs: agent.toolSpecs,
        toolContext: {
          tenant: request.tenant,
          agent: agent.name,
          sessionId: request.sessionId,
          signal: run.signal,
          clock: ports.clock,
        },
        maxIterations: agent.maxIterations,
        maxToolResultTokens: agent.maxToolResultTokens,
        stream: request.stream,
        parameters: request.parameters,
        trace,
        span,
        recordContent: agent.tracing.recordContent,
        observer: ports.observer,
        clock: ports.clock,
        signal: run.signal,
      }),
    );
    if (outcome.outcome === "max_iterations") throw maxIterations(agent);
    span.end();
  } finally {
    span.end("ERROR");
  }
}

function endingOf(thrown: unknown): RunEnding {
  if (!(thrown instanceof AppError)) return { status: "error", code: "internal" };
  if (thrown.code === "run_cancelled") return { status: "cancelled", code: thrown.code };
  if (thrown.kind === "timed_out") return { status: "timeout", code: thrown.code };
  if (thrown.code === "guardrail_blocked") return { status: "blocked", code: thrown.code };
  return { status: "error", code: thrown.code };
}

/** Whatever was thrown after a cancellation is a consequence of it. */
function runCancelled(reason: unknown): AppError {
  if (reason instanceof AppError) return reason;
  return new AppError("unavailable", "run_cancelled", "The run was cancelled.", { cause: reason });
}

function orchestrationTimeout(agent: RunnableAgent): AppError {
  const seconds = agent.timeoutMs / 1000;
  return new AppError(
    "timed_out",
    "orchestration_timeout",
    `Agent ${agent.name} did not finish within ${seconds} seconds.`,
    { details: { hint: "Raise spec.orchestration.timeout_seconds, or use a faster model." } },
  );
}

function maxIterations(agent: RunnableAgent): AppError {
  return new AppError(
    "unprocessable",
    "max_iterations",
    `Agent ${agent.name} reached ${agent.maxIterations} model calls without an answer.`,
    { details: { hint: "Raise spec.orchestration.max_iterations, or give the agent fewer tools." } },
  );
}
