import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Call } from "../../../http/call.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import type { TraceArchive } from "../traces/trace-archive.ts";
import type { McpTasks } from "./tasks/mcp-tasks.ts";

export interface McpDeps extends RunDeps {
  traces: TraceArchive;
  tasks: McpTasks;
}

/** A message of the server that belongs to a request, such as its progress. */
export interface Notification {
  method: string;
  params: Record<string, unknown>;
}

/** Context for answering one request. */
export interface RpcContext {
  deps: McpDeps;
  /** Session id for agents when a call names none; undefined: each such call begins a conversation. */
  conversation: string | undefined;
  /** Sends a notification that belongs to the request. */
  notify: (notification: Notification) => Promise<void>;
  call: Call;
  /** Digest of the client, if it takes tasks in place of late results; absent otherwise. */
  tasks?: string | undefined;
  /** Aborts when the client no longer waits for the answer. */
  signal: AbortSignal;
}

/** Answers requests of one method. A thrown error becomes the request's error. */
export type AnswerMethod = (params: unknown, context: RpcContext) => object | Promise<object>;

/** Checks the `params` of a request, which may be absent. Throws AppError `invalid_params`. */
export function readParams<Schema extends TSchema>(schema: Schema, params: unknown = {}): Static<Schema> {
  if (Value.Check(schema, params)) return params;
  const { message, details } = invalidPart("params", Value.Errors(schema, params), schema);
  throw new AppError("invalid", "invalid_params", message, { details });
}

/** Parameters of every method that lists. */
export const ListParams = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 1024 })) });
