import { AppError, toAppError, withFacts } from "../../kit/app-error.ts";
import { countSteps, othersTurn, shortTurn } from "../../kit/concurrency/others-turn.ts";
import { type Deadline, startDeadline } from "../../kit/deadline.ts";
import { withToolsReady } from "../agents/live-tools.ts";
import type { RunnableAgent } from "../agents/runnable-agent.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { EngineRequest } from "../run-state/run-request.ts";
import { type AgentRunEnding, finishRun, waitingStatus } from "./finish-run.ts";
import { checkInput } from "./guardrails/check-input.ts";
import { readData } from "./guardrails/read-data.ts";
import { buildMemory } from "./memory/build-memory.ts";
import { persistMemory, recordFailure } from "./memory/persist-memory.ts";
import { openRun } from "./open-run.ts";
import { orchestrate } from "./orchestrate.ts";
import { renderPrompt } from "./prompt/render-prompt.ts";
import type { ParentRun, RunPorts } from "./run.ts";
import { followChain } from "./sub-runs/follow-chain.ts";

/**
 * Runs an agent as one generator of events. In order: the input guardrails (`guardrails/`), memory (`memory/`), the prompt (`prompt/`), the
 * agent's pattern behind the output guardrails (`orchestrate.ts`), the shape of the answer, memory again, then the agents of its chain
 * (`sub-runs/`). Every API uses this generator, and so does a run that starts another (`parent`). Throws AppError if the run fails; a
 * reader that stops early cancels it. `finishRun` is called exactly once for every ending.
 */
export async function* runAgent(
  ports: RunPorts,
  agent: RunnableAgent,
  request: EngineRequest,
  parent?: ParentRun,
): AsyncGenerator<RunEvent, void> {
  const timeoutMs = Math.min(agent.timeoutMs, request.limits?.timeoutMs ?? agent.timeoutMs);
  const deadline = startDeadline(
    ports.clock,
    timeoutMs,
    () => orchestrationTimeout(agent, timeoutMs),
    request.cancelledBy,
  );
  const run = openRun(ports, agent, request, {
    parent,
    signal: deadline.signal,
    startInside: (other, inside, above) => runAgent(ports, other, inside, above),
  });
  ports.observer.runStarted(agent.name, request.sessionId);
  let ending: AgentRunEnding = readerLeft;
  let finished: RunEvent | undefined;
  try {
    // Hundreds of runs may begin in one pass of the event loop.
    if (countSteps(stepsOfRun)) await shortTurn();
    const checking = checkInput(run);
    const { events, blocked } = checking instanceof Promise ? await checking : checking;
    for (const event of events) yield event;
    if (blocked !== undefined) throw blocked;
    if (run.recordsContent) run.trace.root.set("input", run.ports.redact(run.query));
    const memory = await buildMemory(run);
    if (agent.live) run.agent = await withToolsReady(agent, run.signal);
    const prompt = await renderPrompt(run, memory);
    yield* orchestrate(run, prompt);
    if (agent.structured) {
      // Reading the answer is synchronous work, above all for the first answer, which compiles the schema.
      await othersTurn();
      yield* readData(run, agent.structured);
    }
    await persistMemory(run);
    if (agent.chain && parent?.walksChain !== true) yield* followChain(run, agent.chain, deadline);
    ending = { status: "ok" };
  } catch (thrown) {
    const fault = faultOf(thrown, deadline.signal);
    ending = endingOf(fault, deadline);
    recordFailure(run, ending);
    throw isOwnFailure(ending, parent) ? withFacts(fault, { trace_id: run.trace.traceId }) : fault;
  } finally {
    deadline.dispose();
    // Stops tools that are still running after the reader left.
    if (ending.status !== "ok") deadline.abort(new DOMException("The run has ended.", "AbortError"));
    finished = finishRun(run, ending);
  }
  yield finished;
}

/** Work of a run without tools and with a short answer, besides that of its model: up to 0.2 ms. */
const stepsOfRun = 25_000;

const readerLeft: AgentRunEnding = { status: "cancelled", code: "run_cancelled" };

/**
 * After the signal has aborted, any error is a consequence of the abort, except a block: a guardrail has found something, and the run may
 * have been stopped or have paused while its other work ended.
 */
function faultOf(thrown: unknown, { aborted, reason }: AbortSignal): AppError {
  if (!aborted || isBlock(thrown)) return toAppError(thrown);
  if (reason instanceof AppError) return reason;
  return new AppError("unavailable", "run_cancelled", "The run was cancelled.", { cause: reason });
}

function isBlock(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === "guardrail_blocked";
}

/** Returns true for a failure to report: not a pause, and not a failed part of a larger run. */
function isOwnFailure({ status }: AgentRunEnding, parent: ParentRun | undefined): boolean {
  return parent === undefined && status !== "awaiting_approval" && status !== "awaiting_tool_result";
}

function endingOf(fault: AppError, { signal, expired }: Deadline): AgentRunEnding {
  const { code, details, message: reason } = fault;
  const waiting = waitingStatus(fault);
  if (waiting !== undefined) return { status: waiting, code };
  if (isBlock(fault)) return { status: "blocked", code, reason, blockedBy: details.facts };
  if (signal.aborted) return { status: expired ? "timeout" : "cancelled", code, reason };
  return { status: "error", code, reason };
}

function orchestrationTimeout(agent: RunnableAgent, timeoutMs: number): AppError {
  const seconds = timeoutMs / 1000;
  return new AppError(
    "timed_out",
    "orchestration_timeout",
    `Agent ${agent.name} did not finish within ${seconds} seconds.`,
    { details: { hint: "Raise spec.orchestration.timeout_seconds, or use a faster model." } },
  );
}
