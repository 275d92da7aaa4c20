import { AppError, toAppError } from "../../kit/app-error.ts";
import { type Deadline, startDeadline } from "../../kit/deadline.ts";
import { TraceRecorder } from "../telemetry/trace-recorder.ts";
import { checkInput } from "./check-input.ts";
import { finishRun, type RunEnding } from "./finish-run.ts";
import { orchestrate } from "./orchestrate.ts";
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
    history: request.history,
    response: "",
    toolCalls: [],
    inputRedacted: false,
    outputFiltered: false,
  };
  ports.observer.runStarted(agent.name, request.sessionId);
  let ending: RunEnding = readerLeft;
  let finished: RunEvent | undefined;
  try {
    yield* checkInput(run);
    const turns = await recallTurns(run);
    const systemPrompt = renderPrompt(run, turns);
    yield* orchestrate(run, systemPrompt);
    await persistTurns(run);
    ending = { status: "ok" };
  } catch (thrown) {
    const fault = faultOf(thrown, deadline.signal);
    ending = endingOf(fault, deadline);
    throw fault;
  } finally {
    deadline.dispose();
    // Tools that are still at work when the reader has left are told to stop.
    if (ending.status !== "ok") deadline.abort(new DOMException("The run has ended.", "AbortError"));
    finished = finishRun(run, ending);
  }
  yield finished;
}

const readerLeft: RunEnding = { status: "cancelled", code: "run_cancelled" };

/** Whatever is thrown once the signal has aborted is a consequence of that. */
function faultOf(thrown: unknown, { aborted, reason }: AbortSignal): AppError {
  if (!aborted) return toAppError(thrown);
  if (reason instanceof AppError) return reason;
  return new AppError("unavailable", "run_cancelled", "The run was cancelled.", { cause: reason });
}

function endingOf({ code, details }: AppError, { signal, expired }: Deadline): RunEnding {
  if (signal.aborted) return { status: expired ? "timeout" : "cancelled", code };
  if (code === "guardrail_blocked") return { status: "blocked", code, blockedBy: details.facts };
  return { status: "error", code };
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
