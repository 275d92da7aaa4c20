import { consoleKeyHeader } from "../../../contracts/console/wire.ts";
import { digest } from "./grants.ts";
import { ownOrigin } from "./own-origin.ts";
import { type ConsoleSession, type SessionBook, sessionSeconds } from "./session-book.ts";

/** The session of whoever shows its cookie and its key. */
export function findSession(book: SessionBook, request: Request): ConsoleSession | undefined {
  const session = findByCookie(book, request);
  const key = request.headers.get(consoleKeyHeader);
  // A hash of 256 random bits: how long the comparison takes tells nothing of use.
  return key !== null && session?.key === digest(key) ? session : undefined;
}

/** The session of a cookie alone: for a WebSocket, where a page can send no header and a ticket stands for the key. */
export function findByCookie(book: SessionBook, request: Request): ConsoleSession | undefined {
  const name = cookieName(request);
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (pair.slice(0, at).trim() === name) return book.find(pair.slice(at + 1).trim());
  }
  return undefined;
}

/** The header that gives a session's id to the browser, or takes it back. */
export function setCookie(request: Request, id: string | undefined): string {
  return [
    `${cookieName(request)}=${id ?? ""}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Strict",
    `Max-Age=${id === undefined ? 0 : sessionSeconds.longest}`,
    ...(isSecure(request) ? ["Secure"] : []),
  ].join("; ");
}

/** With the port, since a cookie goes to every port of its host: services beside each other don't sign each other out. */
function cookieName(request: Request): string {
  const { port } = new URL(ownOrigin(request));
  const name = port === "" ? "argosy_console" : `argosy_console_${port}`;
  return isSecure(request) ? `__Host-${name}` : name;
}

const isSecure = (request: Request) => ownOrigin(request).startsWith("https:");
