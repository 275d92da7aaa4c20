import { randomBytes } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CancelledNotificationSchema,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  type ServerNotification,
  type ServerResult,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { logRefusal } from "../../../http/error-answer.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { DaemonDeps } from "../deps.ts";
import { methods } from "./methods.ts";
import type { SentMessages } from "./read-messages.ts";
import { rpcErrorBody } from "./rpc-error.ts";
import { type Exchange, TrackedTransport } from "./tracked-transport.ts";

/** One client's conversation with this server, from `initialize` to its end. */
export interface McpSession {
  /** As the client names it; a secret between it and us. */
  readonly id: string;
  /** Notes the requests of a POST; AppError `invalid_request` for what this session's revision doesn't have. */
  begin(sent: SentMessages, call: Exchange["call"]): Exchange;
  /** The SDK's answer to a POST; when it is a refusal, the exchange never began. */
  answer(request: Request, sent: SentMessages, exchange: Exchange): Promise<Response>;
  /** The SDK's answer to a GET or DELETE. */
  handle(request: Request): Promise<Response>;
  leave(exchange: Exchange): void;
  /** Tells the client, when it listens, that other tools are there. */
  tellToolsChanged(): void;
  /** Ends the session, and what is being worked on for it. */
  close(): Promise<void>;
}

export interface SessionEvents {
  onOpen(session: McpSession): void;
  onClose(session: McpSession): void;
}

/** The revision in which one POST could bring several messages. */
const batchRevision = "2025-03-26";

const instructions =
  "Each tool agent_<name> runs one agent and answers with what it says. Calls of one session continue one conversation with each agent; session_id names another one. Agents and the traces of their runs can be read as resources.";

/** For a server that asks its clients nothing: the SDK would make a compiler of schemas for each session. */
const noSchemas = {
  getValidator: () => {
    throw new Error("This server sends no forms.");
  },
};

/** A session for a client that asks for `revision`; it is open, and has its id, once `initialize` has been answered well. */
export async function openSession(
  deps: DaemonDeps,
  revision: string,
  { onOpen, onClose }: SessionEvents,
): Promise<McpSession> {
  const transport = new TrackedTransport({
    sessionIdGenerator: () => randomBytes(32).toString("base64url"),
    onsessioninitialized: () => onOpen(session),
    // The stream that the events pass through has its own.
    keepAliveMs: 0,
  });
  const server = new Server(
    { name: "argosy", title: "Argosy", version: deps.version },
    {
      capabilities: { tools: { listChanged: true }, resources: {} },
      instructions,
      jsonSchemaValidator: noSchemas,
    },
  );
  // Not the id, which is a secret: memory and traces show what conversations are called.
  const conversation = deps.newId();
  const negotiated = SUPPORTED_PROTOCOL_VERSIONS.includes(revision) ? revision : LATEST_PROTOCOL_VERSION;

  async function serve(
    { id, method, params }: JSONRPCRequest,
    notify: (notification: ServerNotification) => Promise<void>,
  ): Promise<object> {
    const open = transport.find(id);
    if (open === undefined) throw new Error("A request came past the door.");
    try {
      const answer = methods.get(method);
      if (answer === undefined) throw methodNotFound(method);
      return await answer(params, { deps, conversation, notify, ...open });
    } catch (thrown) {
      const error = toAppError(thrown);
      logRefusal(open.call.log, error, open.signal);
      throw Object.assign(new Error(error.message), rpcErrorBody(error));
    }
  }

  // `ping` has a handler of the SDK's, which would not know of our transport's requests.
  server.removeRequestHandler("ping");
  server.fallbackRequestHandler = async (request, { sendNotification }) =>
    (await serve(request, sendNotification)) as ServerResult;
  // In place of the SDK's own, which leaves out the id 0 and leaves the request's stream open.
  server.setNotificationHandler(CancelledNotificationSchema, ({ params: { requestId } }) => {
    if (requestId !== undefined) transport.takeBack(requestId);
  });
  server.onclose = () => onClose(session);

  const session: McpSession = {
    get id() {
      return transport.sessionId ?? "";
    },
    begin({ ids, isBatch }, call) {
      if (isBatch && negotiated !== batchRevision) {
        const message = `Revision ${negotiated} has no batches: send one message at a time.`;
        throw new AppError("invalid", "invalid_request", message);
      }
      return transport.begin(ids, call);
    },
    async answer(request, { messages, isBatch }, exchange) {
      const response = await transport.handleRequest(request, {
        parsedBody: isBatch ? messages : messages[0],
      });
      if (!response.ok) transport.forget(exchange);
      return response;
    },
    handle: (request) => transport.handleRequest(request),
    leave: (exchange) => transport.leave(exchange),
    tellToolsChanged: () => void server.sendToolListChanged().catch(() => undefined),
    close: () => server.close(),
  };
  await server.connect(transport);
  return session;
}

function methodNotFound(method: string): AppError {
  const name = JSON.stringify(method.slice(0, 100));
  return new AppError("not_implemented", "method_not_found", `There is no method ${name}.`);
}
