import type { ServerNotification } from "@modelcontextprotocol/sdk/types.js";
import type { Call } from "../../../http/call.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import type { TraceArchive } from "../traces/trace-archive.ts";

export interface McpDeps extends RunDeps {
  traces: TraceArchive;
}

/** Context for answering one request. */
export interface RpcContext {
  deps: McpDeps;
  /** Session id for agents when a call names none. */
  conversation: string;
  /** Sends a notification that belongs to the request. */
  notify: (notification: ServerNotification) => Promise<void>;
  call: Call;
  /** Aborts when the client no longer waits for the answer. */
  signal: AbortSignal;
}

/** Answers requests of one method. A thrown error becomes the request's error. */
export type AnswerMethod = (params: unknown, context: RpcContext) => object | Promise<object>;
