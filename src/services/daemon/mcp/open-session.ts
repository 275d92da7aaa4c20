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
import { logRefusal } from "../../../http/errors/error-answer.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { SentMessages } from "./read-messages.ts";
import type { AnswerMethod, McpDeps, Notification } from "./rpc-context.ts";
import { rpcErrorBody } from "./rpc-error.ts";
import {
  methodNotFound,
  presentServer,
  resourcesInstructions,
  sharedMethods,
  toolsInstructions,
} from "./server-methods.ts";
import { type McpExchange, TrackedTransport } from "./tracked-transport.ts";

/** One client's session with this server, from `initialize` to its end. */
export interface McpSession {
  /** Id that the client sends. It is a secret. */
  readonly id: string;
  /** Registers the requests of a POST. Throws AppError `invalid_request` for features that this session's revision doesn't have. */
  begin(sent: SentMessages, call: McpExchange["call"]): McpExchange;
  /** Returns the SDK's answer to a POST. If it is a refusal, the exchange is forgotten. */
  answer(request: Request, sent: SentMessages, exchange: McpExchange): Promise<Response>;
  /** Returns the SDK's answer to a GET or DELETE. */
  handle(request: Request): Promise<Response>;
  leave(exchange: McpExchange): void;
  /** Notifies a listening client that the list of tools has changed. */
  announceTools(): void;
  /** Ends the session and cancels its running requests. */
  close(): Promise<void>;
}

export interface SessionEvents {
  /** Called when the client has a session; `announceTools` then tells it of changes. */
  onOpen(session: McpSession): void;
  onClose(session: McpSession): void;
}

/** Only revision that allows several messages in one POST. */
const batchRevision = "2025-03-26";

const instructions = `${toolsInstructions} Calls of one session continue one conversation with each agent; session_id names another one. ${resourcesInstructions}`;

/** For a server that sends no forms to its clients; without this, the SDK creates a schema compiler for each session. */
const noSchemas = {
  getValidator: () => {
    throw new Error("This server sends no forms.");
  },
};

/** All methods except `initialize`, which the SDK handles. */
const methods: ReadonlyMap<string, AnswerMethod> = new Map<string, AnswerMethod>([
  ["ping", () => ({})],
  ...sharedMethods,
]);

/** Creates a session for a client that requests `revision`. The session is open, and has its id, after a successful `initialize`. */
export async function openSession(
  deps: McpDeps,
  revision: string,
  { onOpen, onClose }: SessionEvents,
): Promise<McpSession> {
  const transport = new TrackedTransport({
    sessionIdGenerator: () => randomBytes(32).toString("base64url"),
    onsessioninitialized: () => onOpen(session),
    // The stream that relays the events sends its own keep-alives.
    keepAliveMs: 0,
  });
  const server = new Server(presentServer(deps), {
    capabilities: { tools: { listChanged: true }, resources: {} },
    instructions,
    jsonSchemaValidator: noSchemas,
  });
  // Different from the session id, which is a secret: memory and traces show conversation names.
  const conversation = deps.newId();
  const negotiated = SUPPORTED_PROTOCOL_VERSIONS.includes(revision) ? revision : LATEST_PROTOCOL_VERSION;

  async function serve(
    { id, method, params }: JSONRPCRequest,
    notify: (notification: Notification) => Promise<void>,
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

  // The SDK's own handler for `ping` would not know the requests of our transport.
  server.removeRequestHandler("ping");
  server.fallbackRequestHandler = async (request, { sendNotification }) =>
    (await serve(request, (sent) => sendNotification(sent as ServerNotification))) as ServerResult;
  // Replaces the SDK's handler, which ignores the id 0 and leaves the request's stream open.
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
        const message = `Revision ${negotiated} does not support batches. Send one message at a time.`;
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
    announceTools: () => void server.sendToolListChanged().catch(() => undefined),
    close: () => server.close(),
  };
  await server.connect(transport);
  return session;
}
