import type { A2aMessage, A2aPart, A2aState, A2aTask, A2aUpdate } from "../../../contracts/daemon/a2a.ts";
import { questionLines } from "../../../contracts/daemon/questions/written-answer.ts";
import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { logRefusal } from "../../../http/errors/error-answer.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import type { Logger } from "../../../kit/log.ts";
import { awaitedIn } from "../paused-runs/paused-runs.ts";
import { isFinal, type KeptTask } from "./task-store.ts";

interface PerformDeps {
  clock: Clock;
  newId: NewId;
}

/**
 * Codes of runs that a guardrail, a budget, a limit or an operator refused. A kind says too little: a full queue and a provider that can't be
 * reached are both `unavailable`, but the second is a failure.
 */
const refusals: ReadonlySet<string> = new Set([
  "agent_paused",
  "budget_exceeded",
  "content_refused",
  "context_length_exceeded",
  "guardrail_blocked",
  "invalid_request",
  "rate_limited",
  "too_busy",
]);

/**
 * Performs a run as a task: changes the task as the run proceeds, and yields each change. Reading to the end ends the task in a final state,
 * also if the run fails; leaving early cancels the run.
 */
export async function* performTask(
  deps: PerformDeps,
  { task, cancel }: KeptTask,
  events: AsyncIterable<RunEvent>,
  log: Logger,
): AsyncGenerator<A2aUpdate, void> {
  const { id: taskId, contextId } = task;
  const artifactId = deps.newId();
  const change = (state: A2aState, message?: string): A2aUpdate => {
    const text = message === undefined ? {} : { message: agentMessage(deps, task, message) };
    task.status = { state, timestamp: deps.clock.now().toISOString(), ...text };
    const { metadata } = task;
    const final = isFinal(state);
    return {
      kind: "status-update",
      taskId,
      contextId,
      status: task.status,
      final,
      ...(metadata ? { metadata } : {}),
    };
  };
  let hasBegun = false;
  try {
    yield change("working");
    for await (const event of events) {
      if (event.type === "token" || event.type === "tokens") {
        const text = event.type === "token" ? event.content : event.contents.join("");
        const artifact = { artifactId, name: "response", parts: [textPart(text)] };
        yield { kind: "artifact-update", taskId, contextId, artifact, append: hasBegun, lastChunk: false };
        hasBegun = true;
      } else if (event.type === "done") {
        const artifact = { artifactId, name: "response", parts: resultParts(event.result) };
        task.artifacts = [artifact];
        task.metadata = { trace_id: event.result.trace_id, usage: event.result.usage };
        // Replaces the pieces, so that a reader that joined them badly has the whole.
        yield { kind: "artifact-update", taskId, contextId, artifact, append: false, lastChunk: true };
        yield change("completed");
      }
    }
  } catch (thrown) {
    const error = toAppError(thrown);
    if (cancel.signal.aborted) yield change("canceled");
    else yield* ended(error);
  } finally {
    if (!isFinal(task.status.state)) {
      cancel.abort();
      change("canceled");
    }
  }

  function* ended(error: AppError): Generator<A2aUpdate> {
    const awaited = awaitedIn(error);
    if (awaited !== undefined) {
      task.metadata = { ...awaited };
      const question = awaited.status === "awaiting_approval" ? awaited.question : undefined;
      yield change("input-required", question ? questionLines(question).join("\n") : error.message);
      return;
    }
    logRefusal(log, error);
    task.metadata = { error: error.code };
    const hint = error.details.hint === undefined ? "" : ` ${error.details.hint}`;
    yield change(refusals.has(error.code) ? "rejected" : "failed", `${error.message}${hint}`);
  }
}

const textPart = (text: string): A2aPart => ({ kind: "text", text });

/** The answer as text; with `output_schema`, also as data. */
function resultParts({ response, data }: RunResult): A2aPart[] {
  return [textPart(response), ...(isRecord(data) ? [{ kind: "data" as const, data }] : [])];
}

function agentMessage({ newId }: PerformDeps, { id, contextId }: A2aTask, text: string): A2aMessage {
  return {
    kind: "message",
    role: "agent",
    messageId: newId(),
    taskId: id,
    contextId,
    parts: [textPart(text)],
  };
}
