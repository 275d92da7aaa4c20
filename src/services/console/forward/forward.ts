import type { Origin } from "../../../http/call.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { byLink } from "../sessions/grants.ts";
import { requireOwnPage, requireOwnSocket } from "../sessions/own-origin.ts";
import type { PersonTokens } from "../sessions/person-tokens.ts";
import { findByCookie, findSession, sessionNeeded } from "../sessions/session-cookie.ts";
import type { ConsoleRules } from "../targets.ts";
import { credentialFor } from "./credential-for.ts";
import { originOf } from "./handed-on.ts";
import { innerHeaders } from "./inner-headers.ts";
import { requireOpenPath, type TargetPath, targetPath } from "./target-path.ts";

/** Answers a page's request under `/console/api/`; the path is the request's own. Rejects with AppError if it is refused. */
export type Forward = (request: Request, origin: Origin, path: string) => Promise<Response>;

/**
 * Forwards a page's call to the service that it names. The session's credential replaces any credential from the page, so the service
 * allows exactly what that credential allows at the service's own port.
 */
export function createForward(deps: ConsoleDeps, home: string, tokens: PersonTokens): Forward {
  return async (request, origin, sentPath) => {
    const isSocket = request.headers.get("upgrade")?.toLowerCase() === "websocket";
    if (isSocket) requireOwnSocket(request);
    else requireOwnPage(request);
    const session = await (isSocket ? findByCookie : findSession)(deps.sessions, request);
    if (session === undefined) throw sessionNeeded();
    const forwardTarget = targetPath(sentPath);
    const { service } = forwardTarget;
    const target = deps.targets.get(service);
    if (target === undefined) throw notHere();
    requireOpenPath(target.console, forwardTarget);
    if (isSocket) requireTicket(target.console, forwardTarget, request);
    const call = { session, home, service, path: forwardTarget.plain, received: { request, origin } };
    const credential = await credentialFor(deps, tokens, call, target.console);
    // A WebSocket is authorized by its ticket only, because it can't send the session's key.
    const headers = innerHeaders(request.headers, isSocket ? {} : credential, isSocket);
    const inner = new Request(innerUrl(request.url, forwardTarget.path), {
      method: request.method,
      headers,
      body: request.body,
      signal: request.signal,
    });
    let isUpgraded = false;
    const innerOrigin: Origin = {
      ...originOf(request, origin, () => {
        isUpgraded = true;
      }),
      isConsole: true,
      isEnded: () => !deps.sessions.isOpen(session),
      // A WebSocket is authorized by its ticket only, which contains the sender that requested it.
      ...(!isSocket && session.grants.daemon === byLink && { isOwner: true }),
    };
    const answer = await target.app.handle(inner, innerOrigin);
    return isUpgraded ? answer : harmless(answer);
  };
}

function requireTicket({ sockets }: ConsoleRules, { plain }: TargetPath, { url }: Request): void {
  if (!sockets.test(plain)) throw notHere();
  if (new URL(url).searchParams.has("ticket")) return;
  throw new AppError("unauthorized", "ticket_needed", "A page opens a WebSocket with a stream ticket.", {
    details: { hint: "POST …/stream-ticket gives one for ?ticket=…." },
  });
}

/** Keeps the host and the query, because services check the first and read the second. */
function innerUrl(url: string, path: string): string {
  const pathAt = url.indexOf("/", "https://".length);
  const queryAt = url.indexOf("?", pathAt);
  return `${url.slice(0, pathAt)}${path}${queryAt === -1 ? "" : url.slice(queryAt)}`;
}

/** Removes and sets headers so that the answer can't affect the console's origin. */
function harmless(answer: Response): Response {
  const headers = new Headers(answer.headers);
  headers.delete("set-cookie");
  headers.delete("clear-site-data");
  for (const name of [...headers.keys()]) if (name.startsWith("access-control-")) headers.delete(name);
  headers.set("content-security-policy", "default-src 'none'; sandbox");
  headers.set("x-content-type-options", "nosniff");
  headers.set("cache-control", "no-store");
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

const notHere = () => new AppError("not_found", "not_found", "There is nothing at this path.");
