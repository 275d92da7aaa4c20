import { consoleKeyHeader } from "../../../contracts/console/wire.ts";
import { AppError } from "../../../kit/app-error.ts";
import { digest } from "./grants.ts";
import { ownOrigin } from "./own-origin.ts";
import { type ConsoleSession, type SessionBook, sessionSeconds } from "./session-book.ts";

/** Returns the session of a request with its cookie and its key. */
export async function findSession(book: SessionBook, request: Request): Promise<ConsoleSession | undefined> {
  const session = await findByCookie(book, request);
  const key = request.headers.get(consoleKeyHeader);
  // Compares hashes of 256 random bits, so timing reveals nothing useful.
  return key !== null && session?.key === digest(key) ? session : undefined;
}

/** Returns the session of a cookie only. For a WebSocket, which can't send headers; a ticket replaces the key. */
export async function findByCookie(book: SessionBook, request: Request): Promise<ConsoleSession | undefined> {
  const name = cookieName(request);
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (pair.slice(0, at).trim() === name) return book.find(pair.slice(at + 1).trim());
  }
  return undefined;
}

/** Returns the header that sets or removes a session's cookie. */
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

/** Includes the port, because a cookie is sent to every port of its host. So services on one host don't sign each other out. */
function cookieName(request: Request): string {
  const { port } = new URL(ownOrigin(request));
  const name = port === "" ? "argosy_console" : `argosy_console_${port}`;
  return isSecure(request) ? `__Host-${name}` : name;
}

const isSecure = (request: Request) => ownOrigin(request).startsWith("https:");

/** Creates the error for a page without a session, or with one that has ended. */
export function sessionNeeded(): AppError {
  return new AppError("unauthorized", "session_needed", "This needs a session of the console.", {
    details: { hint: "Sign in, or open the link that `argosy console` prints." },
  });
}
