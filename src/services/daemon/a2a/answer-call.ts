import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  type A2aMessage,
  A2aSendParams,
  type A2aTask,
  A2aTaskParams,
  type A2aUpdate,
} from "../../../contracts/daemon/a2a.ts";
import { RunRequest } from "../../../contracts/daemon/runs/run.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { logRefusal } from "../../../http/errors/error-answer.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../../kit/json/strict-json.ts";
import { senderIn } from "../manifests/read-sent.ts";
import { admitRun, type RunDeps } from "../runs/admit-run.ts";
import { locateAgent } from "../runs/locate-agent.ts";
import { runInput } from "../runs/run-input.ts";
import { performTask } from "./perform-task.ts";
import { isFinal, type KeptTask, type TaskStore } from "./task-store.ts";
import { announced, watchTask } from "./watch-task.ts";

/** The request of one JSON-RPC call to an agent. */
export interface A2aCaller {
  agent: string;
  request: Request;
  call: Call;
}

type RpcId = string | number | null;

interface RpcCall {
  id: RpcId;
  method: string;
  params: unknown;
}

/** JSON-RPC and A2A codes (A2A 0.3, section 8) of our error codes; all others are server errors. */
const rpcCodes: ReadonlyMap<string, number> = new Map([
  ["parse_error", -32_700],
  ["number_not_representable", -32_700],
  ["invalid_call", -32_600],
  ["method_not_found", -32_601],
  ["invalid_request", -32_602],
  ["internal", -32_603],
  ["task_not_found", -32_001],
  ["task_not_cancelable", -32_002],
  ["push_not_supported", -32_003],
  ["operation_not_supported", -32_004],
  ["content_type_not_supported", -32_005],
]);

/** Answers one JSON-RPC call to a shared agent: `message/send`, `message/stream`, `tasks/get`, `tasks/cancel`, `tasks/resubscribe`. */
export async function answerA2aCall(
  deps: RunDeps,
  tasks: TaskStore,
  body: Uint8Array | undefined,
  caller: A2aCaller,
): Promise<Response> {
  let id: RpcId = null;
  let isStreamed = false;
  try {
    const call = requireCall(await parsedBody(body));
    id = call.id;
    isStreamed = streamedMethods.has(call.method);
    if (call.method === "message/stream") return await streamMessage(deps, tasks, call, caller);
    if (call.method === "tasks/resubscribe") return resubscribe(deps, tasks, call, caller);
    return Response.json({ jsonrpc: "2.0", id, result: await resultOf(deps, tasks, call, caller) });
  } catch (thrown) {
    const error = toAppError(thrown);
    if (isStreamed) return streamedError(deps, id, error, caller);
    logRefusal(caller.call.log, error, caller.request.signal);
    return Response.json(rpcFailure(id, error));
  }
}

const streamedMethods: ReadonlySet<string> = new Set(["message/stream", "tasks/resubscribe"]);

/** A client of a streamed method reads events, also for an error. */
function streamedError(
  { clock }: RunDeps,
  id: RpcId,
  error: AppError,
  { call, request }: A2aCaller,
): Response {
  return eventStream({
    source: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }),
    encode: () => "",
    encodeError: (thrown) => `data: ${JSON.stringify(rpcFailure(id, thrown))}\n\n`,
    call,
    request,
    clock,
  });
}

async function resultOf(deps: RunDeps, tasks: TaskStore, call: RpcCall, caller: A2aCaller): Promise<A2aTask> {
  const { method, params } = call;
  if (method === "message/send")
    return sendMessage(deps, tasks, requireParams(A2aSendParams, params), caller);
  if (method === "tasks/get") {
    const { id, historyLength } = requireParams(A2aTaskParams, params);
    return withHistory(tasks.get(caller.agent, id).task, historyLength);
  }
  if (method === "tasks/cancel")
    return cancelTask(tasks.get(caller.agent, requireParams(A2aTaskParams, params).id));
  if (method.startsWith("tasks/pushNotificationConfig/")) throw pushNotSupported();
  if (method === "agent/getAuthenticatedExtendedCard")
    throw notSupported(`${method} is not supported.`, "Use message/stream, or ask with tasks/get.");
  throw new AppError(
    "not_found",
    "method_not_found",
    `There is no method ${JSON.stringify(method.slice(0, 100))}.`,
    {
      details: {
        hint: "There are message/send, message/stream, tasks/get, tasks/cancel and tasks/resubscribe.",
      },
    },
  );
}

/** Runs the agent and returns the ended task; with `blocking: false`, the task that has begun. */
async function sendMessage(
  deps: RunDeps,
  tasks: TaskStore,
  { message, configuration = {} }: A2aSendParams,
  caller: A2aCaller,
): Promise<A2aTask> {
  if (configuration.pushNotificationConfig !== undefined) throw pushNotSupported();
  const { kept, events } = begin(deps, tasks, message, caller, configuration.blocking === false);
  const updates = announced(kept, performTask(deps, kept, events, caller.call.log));
  if (configuration.blocking === false) {
    // Up to `working`; the rest of the run needs no reader.
    await updates.next();
    void readToEnd(updates);
  } else {
    holdOpen(caller.call, caller.request);
    await readToEnd(updates);
  }
  return withHistory(kept.task, configuration.historyLength);
}

async function readToEnd(updates: AsyncIterable<A2aUpdate>): Promise<void> {
  for await (const _ of updates);
}

async function streamMessage(
  deps: RunDeps,
  tasks: TaskStore,
  { id, params }: RpcCall,
  caller: A2aCaller,
): Promise<Response> {
  const { message, configuration = {} } = requireParams(A2aSendParams, params);
  if (configuration.pushNotificationConfig !== undefined) throw pushNotSupported();
  const { kept, events } = begin(deps, tasks, message, caller, false);
  const { request, call } = caller;
  return eventStream({
    async *source(gone) {
      gone.addEventListener("abort", () => kept.cancel.abort());
      // As it was sent: the task changes while the stream is read.
      yield structuredClone(withHistory(kept.task, configuration.historyLength));
      yield* announced(kept, performTask(deps, kept, events, call.log));
    },
    encode: (update: A2aUpdate) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: update })}\n\n`,
    encodeError: (error) => `data: ${JSON.stringify(rpcFailure(id, error))}\n\n`,
    call,
    request,
    clock: deps.clock,
  });
}

/** Streams a task that exists, from what it has now. */
function resubscribe(deps: RunDeps, tasks: TaskStore, { id, params }: RpcCall, caller: A2aCaller): Response {
  const kept = tasks.get(caller.agent, requireParams(A2aTaskParams, params).id);
  return eventStream({
    source: (gone) => watchTask(kept, gone),
    encode: (update) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: update })}\n\n`,
    encodeError: (error) => `data: ${JSON.stringify(rpcFailure(id, error))}\n\n`,
    call: caller.call,
    request: caller.request,
    clock: deps.clock,
  });
}

/** Admits the run of a message like every other run of the agent: same sender, guardrails, limits and budget. */
function begin(
  deps: RunDeps,
  tasks: TaskStore,
  message: A2aMessage,
  { agent, request, call }: A2aCaller,
  isDetached: boolean,
) {
  if (message.taskId !== undefined) {
    tasks.get(agent, message.taskId);
    throw notSupported(
      "A task cannot be continued by a message.",
      "Send the message with the contextId of the task and without its taskId.",
    );
  }
  const located = locateAgent(deps, agent, { sender: senderIn(call) });
  const cancel = new AbortController();
  const contextId = message.contextId ?? deps.newId();
  const signal = isDetached ? cancel.signal : AbortSignal.any([request.signal, cancel.signal]);
  const body = { query: queryOf(message), session_id: contextId };
  if (!Value.Check(RunRequest, body))
    throw invalidPart("The message", Value.Errors(RunRequest, body), RunRequest);
  const input = runInput(deps, body, { stream: true, signal, requestId: call.requestId });
  const id = deps.newId();
  const history: A2aMessage[] = [{ ...message, kind: "message", taskId: id, contextId }];
  const status = { state: "submitted" as const, timestamp: deps.clock.now().toISOString() };
  const kept: KeptTask = {
    agent,
    cancel,
    watchers: new Set(),
    task: { kind: "task", id, contextId, status, history },
  };
  tasks.add(kept);
  return { kept, events: admitRun(deps, located, input) };
}

/** Returns the text of a message; data becomes JSON. */
function queryOf({ role, parts }: A2aMessage): string {
  if (role !== "user") throw invalidParams("message.role must be user.");
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

function cancelTask(kept: KeptTask): A2aTask {
  const { task, cancel } = kept;
  if (isFinal(task.status.state))
    throw new AppError(
      "conflict",
      "task_not_cancelable",
      `The task is ${task.status.state} and cannot be canceled.`,
    );
  cancel.abort();
  task.status = { state: "canceled", timestamp: task.status.timestamp };
  return task;
}

function withHistory(task: A2aTask, length: number | undefined): A2aTask {
  if (length === undefined || task.history === undefined) return task;
  return { ...task, history: length === 0 ? [] : task.history.slice(-length) };
}

async function parsedBody(body: Uint8Array | undefined): Promise<unknown> {
  try {
    return await inPieces(readStrictJson(body ?? new Uint8Array()));
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "invalid_request") throw thrown;
    throw new AppError("invalid", "parse_error", thrown.message);
  }
}

function requireCall(value: unknown): RpcCall {
  const { jsonrpc, id, method, params } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Record<string, unknown>;
  const isId = typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
  if (jsonrpc === "2.0" && isId && typeof method === "string") return { id, method, params };
  throw new AppError("invalid", "invalid_call", "That is no JSON-RPC 2.0 request.", {
    details: {
      hint: 'Send one object with "jsonrpc": "2.0", an id, a method and params. Batches are not part of A2A.',
    },
  });
}

function requireParams<T extends TSchema>(schema: T, params: unknown): Static<T> {
  if (Value.Check(schema, params)) return params;
  throw invalidPart("The params object", Value.Errors(schema, params), schema);
}

const invalidParams = (message: string) => new AppError("invalid", "invalid_request", message);
const notSupported = (message: string, hint: string) =>
  new AppError("unsupported", "operation_not_supported", message, { details: { hint } });
const pushNotSupported = () =>
  new AppError("unsupported", "push_not_supported", "Push notifications are not supported.", {
    details: { hint: "Use message/stream, or ask with tasks/get." },
  });

function rpcFailure(id: RpcId, { code, message, details }: AppError): object {
  const { hint, problems = [], retryAfterSeconds } = details;
  const data = {
    code,
    ...(hint === undefined ? {} : { hint }),
    ...(problems.length === 0 ? {} : { problems }),
    ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterSeconds) }),
  };
  return { jsonrpc: "2.0", id, error: { code: rpcCodes.get(code) ?? -32_000, message, data } };
}
