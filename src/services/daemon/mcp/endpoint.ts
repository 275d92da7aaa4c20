import { type Asked, clientOf } from "./asked.ts";
import { type McpSession, openSession } from "./open-session.ts";
import { readMessages, revisionAsked, type SentMessages } from "./read-messages.ts";
import { relayEvents } from "./relay-events.ts";
import type { McpDeps } from "./rpc-context.ts";
import { SessionRegistry } from "./session-registry.ts";
import { isStateless } from "./stateless/read-request.ts";
import { StatelessServer } from "./stateless/server.ts";
import { ToolAnnouncements } from "./tool-announcements.ts";

/** Handlers for the HTTP methods of `/mcp`. */
export interface McpEndpoint {
  /** POST: messages from the client. In revisions with sessions, the first one opens a session. */
  post(body: Uint8Array | undefined, asked: Asked): Promise<Response>;
  /** GET: the server's notifications, until either side ends the stream. */
  listen(asked: Asked): Promise<Response>;
  /** DELETE: ends a session. */
  end(asked: Asked): Promise<Response>;
}

const limits = { sessionsMax: 1000, idleMs: 30 * 60 * 1000 };

/** Creates the endpoint, which holds all sessions. */
export function createEndpoint(deps: McpDeps): McpEndpoint {
  const { clock, catalog } = deps;
  const registry = new SessionRegistry(clock, limits);
  const getSession = (asked: Asked) =>
    registry.get(asked.request.headers.get("mcp-session-id"), clientOf(asked));

  const announcements = new ToolAnnouncements(catalog);
  const stateless = new StatelessServer(deps, announcements);

  async function open(revision: string, asked: Asked): Promise<McpSession> {
    await registry.makeRoom();
    let forget = () => {};
    return openSession(deps, revision, {
      onOpen(session) {
        registry.add(session, clientOf(asked));
        forget = announcements.add(() => session.announceTools());
      },
      onClose(session) {
        registry.remove(session.id);
        forget();
      },
    });
  }

  async function answer(session: McpSession, sent: SentMessages, asked: Asked): Promise<Response> {
    const { request, call } = asked;
    const exchange = session.begin(sent, call);
    const answered = await session.answer(request, sent, exchange);
    const release = registry.use(session);
    const onEnd = () => {
      session.leave(exchange);
      release();
    };
    return relayEvents(answered, { request, call, clock, onEnd });
  }

  return {
    async post(body, asked) {
      const sent = await readMessages(body);
      if (isStateless(sent, asked.request.headers)) return stateless.answer(sent, asked);
      const revision = sent.initialize && revisionAsked(sent.initialize);
      const begins = revision !== undefined && !asked.request.headers.has("mcp-session-id");
      const session = begins ? await open(revision, asked) : getSession(asked);
      return answer(session, sent, asked);
    },
    async listen(asked) {
      const { request, call } = asked;
      const session = getSession(asked);
      const answered = await session.handle(request);
      return relayEvents(answered, {
        request,
        call,
        clock,
        until: call.retiring,
        onEnd: registry.use(session),
      });
    },
    end: (asked) => getSession(asked).handle(asked.request),
  };
}
