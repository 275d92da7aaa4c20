import type { ServerNotification } from "@modelcontextprotocol/sdk/types.js";
import type { Call } from "../../../http/call.ts";
import type { DaemonDeps } from "../deps.ts";
import { listAgentTools } from "./agent-tools.ts";
import { callAgentTool } from "./call-agent-tool.ts";
import { listResources, listResourceTemplates, readResource } from "./resources.ts";

/** What the answer to one request is made with. */
export interface RpcContext {
  deps: DaemonDeps;
  /** The conversation with agents that goes on when a call names none. */
  conversation: string;
  /** Sends a notification that belongs to the request. */
  notify: (notification: ServerNotification) => Promise<void>;
  call: Call;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** Answers one method's requests; what it throws is the request's error. */
export type AnswerMethod = (params: unknown, context: RpcContext) => object | Promise<object>;

/** Every method beside `initialize`, which is the SDK's. */
export const methods: ReadonlyMap<string, AnswerMethod> = new Map<string, AnswerMethod>([
  ["ping", () => ({})],
  ["tools/list", listAgentTools],
  ["tools/call", callAgentTool],
  ["resources/list", listResources],
  ["resources/templates/list", listResourceTemplates],
  ["resources/read", readResource],
]);
