import { createEventQueue } from "../../../../engine/chain/event-queue.ts";
import { holdOpen } from "../../../../http/call.ts";
import { logRefusal } from "../../../../http/errors/error-answer.ts";
import { eventStream } from "../../../../http/streams/event-stream.ts";
import { AppError, toAppError } from "../../../../kit/app-error.ts";
import { encodeSse } from "../../../../kit/fetch/sse.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { type Asked, clientOf } from "../asked.ts";
import { invalidMessage, type SentMessages } from "../read-messages.ts";
import type { AnswerMethod, McpDeps, RpcContext } from "../rpc-context.ts";
import { statelessErrorBody } from "../rpc-error.ts";
import {
  methodNotFound,
  presentServer,
  resourcesInstructions,
  sharedMethods,
  toolsInstructions,
} from "../server-methods.ts";
import { taskMethods, tasksExtension } from "../tasks/task-methods.ts";
import type { ToolAnnouncements } from "../tool-announcements.ts";
import { readRequest, type StatelessRequest } from "./read-request.ts";
import { metaKeys, statelessRevisions } from "./revision.ts";
import { type SubscriptionMessage, Subscriptions } from "./subscriptions.ts";

/*
 * The revisions without sessions (2026-07-28). Each POST is one request with all that is needed to answer it, so this is written without the
 * SDK's server: the SDK (2.4) has no tasks, reads results with schemas of unbounded cost, and buffers unread events without a limit.
 */

/** How long clients may keep an answer. Changed tools are announced; what else may change, changes without notice. */
const ttlMs: ReadonlyMap<string, number> = new Map([
  ["server/discover", 3_600_000],
  ["tools/list", 60_000],
  ["resources/list", 0],
  ["resources/templates/list", 3_600_000],
  ["resources/read", 0],
]);

/** Refusals of requests that are not served at all, with the HTTP status that the protocol requires. */
const statuses: ReadonlyMap<string, number> = new Map([
  ["header_mismatch", 400],
  ["unsupported_revision", 400],
  ["capability_missing", 400],
  ["method_not_found", 404],
  ["not_acceptable", 406],
]);

/** Answers the requests of clients without a session. */
export class StatelessServer {
  readonly #deps: McpDeps;
  readonly #subscriptions: Subscriptions;
  readonly #methods: ReadonlyMap<string, AnswerMethod>;

  constructor(deps: McpDeps, announcements: ToolAnnouncements) {
    this.#deps = deps;
    this.#subscriptions = new Subscriptions(announcements, deps.tasks);
    this.#methods = new Map<string, AnswerMethod>([
      ["server/discover", () => discovered],
      ...sharedMethods,
      ...taskMethods,
    ]);
  }

  /** Answers a POST. A refusal has the id of its request. */
  async answer({ messages }: SentMessages, { request, call }: Asked): Promise<Response> {
    const [message] = messages;
    const id = message !== undefined && "id" in message ? (message.id ?? null) : null;
    try {
      requireMedia(request.headers);
      if (message === undefined || !("method" in message))
        throw invalidMessage("A client sends requests and notifications only.");
      // Over HTTP, a client cancels a request by closing its answer, and has nothing else to notify of.
      if (!("id" in message)) return new Response(null, { status: 202 });
      return await this.#serve(readRequest(message, request.headers), { request, call });
    } catch (thrown) {
      const error = toAppError(thrown);
      logRefusal(call.log, error, request.signal);
      return json(refusal(id, error), statuses.get(error.code) ?? error.status);
    }
  }

  async #serve(sent: StatelessRequest, asked: Asked): Promise<Response> {
    const { request, call } = asked;
    const { id, method, params, capabilities } = sent;
    const tasks = takesTasks(capabilities) ? clientOf(asked) : undefined;
    if (method === "subscriptions/listen")
      return this.#stream(
        id,
        asked,
        await this.#subscriptions.listen(sent, { tasks, retires: call.retiring }),
      );
    const answer = this.#methods.get(method);
    if (answer === undefined) throw methodNotFound(method);
    const respond = async ({
      signal,
      notify,
    }: Pick<RpcContext, "signal" | "notify">): Promise<SubscriptionMessage> => {
      const context = { deps: this.#deps, conversation: undefined, notify, call, tasks, signal };
      try {
        const result = await answer(params, context);
        return { jsonrpc: "2.0", id, result: this.#complete(method, result) };
      } catch (thrown) {
        const error = toAppError(thrown);
        if (statuses.has(error.code)) throw error;
        logRefusal(call.log, error, signal);
        return refusal(id, error);
      }
    };
    if (isRecord(params._meta) && params._meta.progressToken !== undefined)
      return this.#stream(id, asked, (gone) =>
        withNotifications((notify) => respond({ signal: gone, notify })),
      );
    holdOpen(call, request);
    return json(await respond({ signal: request.signal, notify: async () => {} }), 200);
  }

  #complete(method: string, { _meta, ...result }: { _meta?: object }): object {
    const freshMs = ttlMs.get(method);
    return {
      resultType: "complete",
      ...result,
      // What agents there are, and what they do, is for those who may call them.
      ...(freshMs === undefined ? {} : { ttlMs: freshMs, cacheScope: "private" }),
      _meta: { ..._meta, [metaKeys.server]: presentServer(this.#deps) },
    };
  }

  #stream(
    id: string | number,
    { request, call }: Asked,
    source: (gone: AbortSignal) => AsyncIterable<SubscriptionMessage>,
  ): Response {
    const encode = (message: SubscriptionMessage) =>
      encodeSse({ event: "message", data: JSON.stringify(message) });
    return eventStream({
      source,
      encode,
      encodeError: (error) => encode(refusal(id, error)),
      call,
      request,
      clock: this.#deps.clock,
    });
  }
}

const discovered = {
  supportedVersions: statelessRevisions,
  capabilities: { tools: { listChanged: true }, resources: {}, extensions: { [tasksExtension]: {} } },
  instructions: `${toolsInstructions} session_id names the conversation to continue; a call without it begins one, which its result names. ${resourcesInstructions}`,
};

function takesTasks({ extensions }: StatelessRequest["capabilities"]): boolean {
  return isRecord(extensions) && isRecord(extensions[tasksExtension]);
}

/** Yields the notifications of a request as they come, and then its response. */
async function* withNotifications(
  respond: (notify: RpcContext["notify"]) => Promise<SubscriptionMessage>,
): AsyncGenerator<SubscriptionMessage, void> {
  const queue = createEventQueue<SubscriptionMessage>();
  const response = respond(async ({ method, params }) =>
    queue.push({ jsonrpc: "2.0", method, params }),
  ).finally(queue.end);
  response.catch(() => undefined);
  yield* queue;
  yield await response;
}

function refusal(id: string | number | null, error: AppError): SubscriptionMessage {
  return { jsonrpc: "2.0", id, error: statelessErrorBody(error) };
}

function json(message: SubscriptionMessage, status: number): Response {
  return Response.json(message, { status, headers: { "cache-control": "no-store" } });
}

/** Throws AppError `invalid_request` if the body is not JSON or the client takes only one of the two kinds of answers. */
function requireMedia(headers: Headers): void {
  if (!/^\s*application\/json\s*(;|$)/i.test(headers.get("content-type") ?? ""))
    throw new AppError("unsupported", "invalid_request", "The content type must be application/json.");
  const accept = (headers.get("accept") ?? "").toLowerCase();
  if (accept.includes("application/json") && accept.includes("text/event-stream")) return;
  throw new AppError("invalid", "not_acceptable", "Accept must list application/json and text/event-stream.");
}
