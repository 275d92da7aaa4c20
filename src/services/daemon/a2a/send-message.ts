import { Value } from "@sinclair/typebox/value";
import type { A2aMessage, A2aTask, A2aUpdate } from "../../../contracts/daemon/a2a.ts";
import { RunRequest } from "../../../contracts/daemon/runs/run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import { AppError } from "../../../kit/app-error.ts";
import { senderIn } from "../manifests/read-sent.ts";
import { admitRun, type RunDeps } from "../runs/admit-run.ts";
import { locateAgent } from "../runs/locate-agent.ts";
import { runInput } from "../runs/run-input.ts";
import { answerTask } from "./answer-task.ts";
import type { A2aDialect, A2aSendOrder } from "./dialect.ts";
import { performTask } from "./perform-task.ts";
import type { PushNotifications } from "./push-notifications.ts";
import { type KeptTask, type TaskStore, withHistory } from "./task-store.ts";
import { announced, watchTask } from "./watch-task.ts";

export interface A2aDeps extends RunDeps {
  tasks: TaskStore;
  pushes: PushNotifications;
}

/** The request of one JSON-RPC call to an agent. */
export interface A2aCaller {
  agent: string;
  request: Request;
  call: Call;
}

/** Runs the agent and returns the ended task, or the task that has begun if nobody waits for its end. */
export async function sendMessage(deps: A2aDeps, order: A2aSendOrder, caller: A2aCaller): Promise<A2aTask> {
  const { kept, events } = await begin(deps, order, caller, order.isDetached ? "detached" : "awaited");
  const updates = announced(kept, performTask(deps, kept, events, caller.call.log));
  if (order.isDetached) {
    // Up to `working`; the rest of the run needs no reader.
    await updates.next();
    void readToEnd(updates);
  } else {
    holdOpen(caller.call, caller.request);
    await readToEnd(updates);
  }
  return kept.task;
}

async function readToEnd(updates: AsyncIterable<A2aUpdate>): Promise<void> {
  for await (const _ of updates);
}

interface StreamForm {
  encode: (update: A2aUpdate) => string;
  encodeError: (error: AppError) => string;
}

export async function streamMessage(
  deps: A2aDeps,
  dialect: A2aDialect,
  params: unknown,
  caller: A2aCaller,
  form: StreamForm,
): Promise<Response> {
  const order = dialect.readSend(params);
  const { kept, events } = await begin(deps, order, caller, "streamed");
  const { request, call } = caller;
  if (kept.isAnswered) {
    const updates = announced(kept, performTask(deps, kept, events, call.log));
    // The run goes on to its end, also without its reader.
    await updates.next();
    void readToEnd(updates);
    const source = (gone: AbortSignal) => watchTask(kept, gone);
    return eventStream({ source, ...form, call, request, clock: deps.clock });
  }
  return eventStream({
    async *source(gone): AsyncGenerator<A2aUpdate> {
      gone.addEventListener("abort", () => kept.cancel.abort());
      // As it was sent: the task changes while the stream is read.
      yield structuredClone(withHistory(kept.task, order.historyLength));
      yield* announced(kept, performTask(deps, kept, events, call.log));
    },
    ...form,
    call,
    request,
    clock: deps.clock,
  });
}

/** Admits the run of a message like every other run of the agent: same sender, guardrails, limits and budget. */
async function begin(
  deps: A2aDeps,
  { message, push }: A2aSendOrder,
  { agent, request, call }: A2aCaller,
  reading: "streamed" | "awaited" | "detached",
): Promise<{ kept: KeptTask; events: AsyncIterable<RunEvent> }> {
  if (message.taskId !== undefined) {
    const kept = deps.tasks.get(agent, message.taskId);
    const caller = { stream: reading !== "awaited", signal: deps.stopping, requestId: call.requestId };
    return { kept, events: await answerTask(deps, kept, message, caller) };
  }
  const located = await locateAgent(deps, agent, { sender: senderIn(call) });
  const cancel = new AbortController();
  const contextId = message.contextId ?? deps.newId();
  const signal = reading === "detached" ? cancel.signal : AbortSignal.any([request.signal, cancel.signal]);
  const body = { query: queryOf(message), session_id: contextId };
  if (!Value.Check(RunRequest, body))
    throw invalidPart("The message", Value.Errors(RunRequest, body), RunRequest);
  // Who awaits the end reads no pieces, and a subscriber gets the whole answer with the last one.
  const stream = reading !== "awaited";
  const input = runInput(deps, body, { stream, bundles: stream, signal, requestId: call.requestId });
  const id = deps.newId();
  const history: A2aMessage[] = [{ ...message, kind: "message", taskId: id, contextId }];
  const status = { state: "submitted" as const, timestamp: deps.clock.now().toISOString() };
  const kept: KeptTask = {
    agent,
    cancel,
    watchers: new Set(),
    isAnswered: false,
    pushes: new Map(),
    task: { kind: "task", id, contextId, status, history },
  };
  if (push !== undefined) deps.pushes.add(kept, { ...push, id: push.id ?? id });
  deps.tasks.add(kept);
  return { kept, events: admitRun(deps, located, input) };
}

/** Returns the text of a message; data becomes JSON. */
function queryOf({ role, parts }: A2aMessage): string {
  if (role !== "user") throw new AppError("invalid", "invalid_request", "message.role must be the user's.");
  return parts
    .map((part) => {
      if (part.kind === "text") return part.text;
      if (part.kind === "data") return JSON.stringify(part.data);
      throw new AppError(
        "unsupported",
        "content_type_not_supported",
        "Agents of this server take text and data, no files.",
      );
    })
    .join("\n\n");
}
