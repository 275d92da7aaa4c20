import type { A2aTask } from "../../../contracts/daemon/a2a.ts";
import { logRefusal } from "../../../http/errors/error-answer.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../../kit/json/strict-json.ts";
import { type A2aDialect, type A2aOperation, dialect03 } from "./dialect.ts";
import { dialectV1 } from "./dialect-v1.ts";
import type { PushConfig } from "./push-notifications.ts";
import { type A2aCaller, type A2aDeps, sendMessage, streamMessage } from "./send-message.ts";
import { isFinal, type KeptTask, withHistory } from "./task-store.ts";
import { watchTask } from "./watch-task.ts";

type RpcId = string | number | null;

interface RpcCall {
  id: RpcId;
  method: string;
  params: unknown;
}

/** JSON-RPC and A2A codes of our error codes; all others are server errors. */
const rpcCodes: ReadonlyMap<string, number> = new Map([
  ["parse_error", -32_700],
  ["number_not_representable", -32_700],
  ["invalid_call", -32_600],
  ["method_not_found", -32_601],
  ["invalid_request", -32_602],
  ["internal", -32_603],
  ["task_not_found", -32_001],
  ["push_not_found", -32_001],
  ["task_not_cancelable", -32_002],
  ["operation_not_supported", -32_004],
  ["content_type_not_supported", -32_005],
  ["no_extended_card", -32_007],
  ["version_not_supported", -32_009],
]);

const streamed: ReadonlySet<A2aOperation> = new Set(["stream", "subscribe"]);

/** Answers one JSON-RPC call to a shared agent, in the version that the request names. */
export async function answerA2aCall(
  deps: A2aDeps,
  body: Uint8Array | undefined,
  caller: A2aCaller,
): Promise<Response> {
  let id: RpcId = null;
  let isStreamed = false;
  try {
    const call = requireCall(await parsedBody(body));
    id = call.id;
    const dialect = dialectOf(caller.request.headers.get("a2a-version"));
    const operation = operationOf(dialect, call.method);
    isStreamed = streamed.has(operation);
    if (operation === "stream")
      return await streamMessage(deps, dialect, call.params, caller, formOf(id, dialect));
    if (operation === "subscribe") return subscribe(deps, dialect, call, caller);
    const result = await resultOf(deps, dialect, { operation, params: call.params }, caller);
    return Response.json({ jsonrpc: "2.0", id, result });
  } catch (thrown) {
    const error = toAppError(thrown);
    if (isStreamed) return streamedError(deps, id, error, caller);
    logRefusal(caller.call.log, error, caller.request.signal);
    return Response.json(rpcFailure(id, error));
  }
}

/** A request without a version is of 0.3, which had no such header. */
function dialectOf(version: string | null): A2aDialect {
  const [, wanted = ""] = /^\s*(0\.3|1\.0)(?:\.\d+)?\s*$/.exec(version ?? "0.3") ?? [];
  if (wanted === "1.0") return dialectV1;
  if (wanted === "0.3" || version === "") return dialect03;
  const message = `The version ${JSON.stringify(version?.slice(0, 32))} of A2A is not supported.`;
  throw new AppError("unsupported", "version_not_supported", message, {
    details: { hint: "Send A2A-Version: 1.0, or 0.3." },
  });
}

function operationOf({ methods, version }: A2aDialect, method: string): A2aOperation {
  const handler = methods.get(method);
  if (handler !== undefined) return handler;
  if (method === "agent/getAuthenticatedExtendedCard" || method === "GetExtendedAgentCard")
    throw new AppError("unsupported", "no_extended_card", "There is no card but the public one.");
  const hint = `In A2A ${version} there are ${[...methods.keys()].join(", ")}; other versions have other names, and need the header A2A-Version.`;
  throw new AppError(
    "not_found",
    "method_not_found",
    `There is no method ${JSON.stringify(method.slice(0, 100))}.`,
    { details: { hint } },
  );
}

interface Order {
  operation: A2aOperation;
  params: unknown;
}

async function resultOf(
  deps: A2aDeps,
  dialect: A2aDialect,
  { operation, params }: Order,
  caller: A2aCaller,
): Promise<unknown> {
  const { tasks, pushes } = deps;
  switch (operation) {
    case "send": {
      const order = dialect.readSend(params);
      return dialect.sent(withHistory(await sendMessage(deps, order, caller), order.historyLength));
    }
    case "get": {
      const { id, historyLength } = dialect.readTask(params);
      return dialect.task(withHistory(tasks.get(caller.agent, id).task, historyLength));
    }
    case "cancel":
      return dialect.task(cancelTask(tasks.get(caller.agent, dialect.readTask(params).id)));
    case "list":
      return listTasks(dialect, tasks.list(caller.agent), params);
    case "setPush": {
      const { taskId, push } = dialect.readPush(params);
      pushes.add(tasks.get(caller.agent, taskId), push);
      return dialect.push(taskId, push);
    }
    case "getPush": {
      const { taskId, id } = dialect.readPushId(params);
      return dialect.push(taskId, pushIn(tasks.get(caller.agent, taskId), id));
    }
    case "listPush": {
      const { taskId } = dialect.readPushId(params);
      const task = tasks.get(caller.agent, taskId);
      return dialect.pushes(
        taskId,
        [...task.pushes.values()].map(({ push }) => push),
      );
    }
    case "deletePush": {
      const { taskId, id } = dialect.readPushId(params);
      const task = tasks.get(caller.agent, taskId);
      pushes.remove(task, pushIn(task, id).id);
      return dialect.version === "1.0" ? {} : null;
    }
    default:
      throw new Error(`${operation} is streamed.`);
  }
}

function listTasks(dialect: A2aDialect, all: readonly A2aTask[], params: unknown): object {
  const { contextId, state, pageSize, after, historyLength, withArtifacts } = dialect.readList(params);
  const fitting = all.filter(
    (task) =>
      (contextId === undefined || task.contextId === contextId) &&
      (state === undefined || task.status.state === state),
  );
  const from = after === undefined ? 0 : fitting.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0)
    throw new AppError("invalid", "invalid_request", "pageToken is not known; begin again without it.");
  const page = fitting.slice(from, from + pageSize);
  const next = from + pageSize < fitting.length ? (page.at(-1)?.id ?? "") : "";
  const shown = page.map(({ artifacts, ...task }) =>
    withHistory({ ...task, ...(withArtifacts && artifacts && { artifacts }) }, historyLength),
  );
  return dialect.tasks(shown, { next, size: page.length, total: fitting.length });
}

function pushIn({ pushes }: KeptTask, id: string | undefined): PushConfig {
  const [first] = pushes.values();
  const push = id === undefined ? first : pushes.get(id);
  if (push !== undefined) return push.push;
  throw new AppError("not_found", "push_not_found", "The task has no such push configuration.");
}

/** Streams a task that exists, from what it has now. */
function subscribe(deps: A2aDeps, dialect: A2aDialect, { id, params }: RpcCall, caller: A2aCaller): Response {
  const task = deps.tasks.get(caller.agent, dialect.readTask(params).id);
  const { state } = task.task.status;
  if (dialect.refusesEnded && isFinal(state) && state !== "input-required")
    throw new AppError("unsupported", "operation_not_supported", `The task is ${state}; ask with GetTask.`);
  return eventStream({
    source: (gone) => watchTask(task, gone),
    ...formOf(id, dialect),
    call: caller.call,
    request: caller.request,
    clock: deps.clock,
  });
}

/** How the events of one stream are written. */
const formOf = (id: RpcId, dialect: A2aDialect) => ({
  encode: (update: Parameters<A2aDialect["update"]>[0]) =>
    `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: dialect.update(update) })}\n\n`,
  encodeError: (error: AppError) => `data: ${JSON.stringify(rpcFailure(id, error))}\n\n`,
});

/** A client of a streamed method reads events, also for an error. */
function streamedError(
  { clock }: Pick<A2aDeps, "clock">,
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

function cancelTask(kept: KeptTask): A2aTask {
  const { task, cancel, isAnswered } = kept;
  if (isFinal(task.status.state) || isAnswered)
    throw new AppError(
      "conflict",
      "task_not_cancelable",
      `The task is ${task.status.state}${isAnswered ? " after an answer" : ""} and cannot be canceled.`,
    );
  cancel.abort();
  task.status = { state: "canceled", timestamp: task.status.timestamp };
  return task;
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
  throw new AppError("invalid", "invalid_call", "That is not a JSON-RPC 2.0 request.", {
    details: {
      hint: 'Send one object with "jsonrpc": "2.0", an id, a method and params. Batches are not part of A2A.',
    },
  });
}

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
