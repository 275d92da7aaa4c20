import { createHash } from "node:crypto";
import type { Call } from "../../../http/call.ts";
import type { DaemonDeps } from "../deps.ts";
import { toolsFingerprint } from "./agent-tools.ts";
import { type McpSession, openSession } from "./open-session.ts";
import { readMessages, type SentMessages } from "./read-messages.ts";
import { relayEvents } from "./relay-events.ts";
import { SessionRegistry } from "./session-registry.ts";

/** A request as a route has it. */
export interface Asked {
  request: Request;
  call: Call;
}

/** What `/mcp` does with each of its methods. */
export interface McpEndpoint {
  /** POST: messages of the client's, the first of which begins a session. */
  post(body: Uint8Array | undefined, asked: Asked): Promise<Response>;
  /** GET: notifications of the server's, until either side ends it. */
  listen(asked: Asked): Promise<Response>;
  /** DELETE: the end of a session. */
  end(asked: Asked): Promise<Response>;
}

const limits = { sessionsMax: 1000, idleMs: 30 * 60 * 1000 };

/** The one place that knows all sessions. */
export function createEndpoint(deps: DaemonDeps): McpEndpoint {
  const { clock, catalog } = deps;
  const registry = new SessionRegistry(clock, limits);
  const getSession = (asked: Asked) =>
    registry.get(asked.request.headers.get("mcp-session-id"), ownerOf(asked));

  let told = toolsFingerprint(catalog);
  catalog.onChange(() => {
    if (registry.size === 0) return;
    const now = toolsFingerprint(catalog);
    if (now === told) return;
    told = now;
    for (const session of registry.sessions) session.tellToolsChanged();
  });

  async function open(revision: string, asked: Asked): Promise<McpSession> {
    await registry.makeRoom();
    if (registry.size === 0) told = toolsFingerprint(catalog);
    return openSession(deps, revision, {
      onOpen: (session) => registry.add(session, ownerOf(asked)),
      onClose: (session) => registry.remove(session.id),
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
      const begins = sent.initialize !== undefined && !asked.request.headers.has("mcp-session-id");
      const session = begins ? await open(sent.initialize ?? "", asked) : getSession(asked);
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

/** Who a session belongs to: whoever came through the same door with the same credentials. */
function ownerOf({ request, call }: Asked): string {
  const credentials = request.headers.get("authorization") ?? "";
  return createHash("sha256").update(`${call.peer} ${credentials}`).digest("base64url");
}
