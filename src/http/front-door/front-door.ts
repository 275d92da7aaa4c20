import { AppError } from "../../kit/app-error.ts";
import { equalSecrets } from "../../kit/secrets/equal-secrets.ts";
import type { Origin, Peer } from "../call.ts";
import { createHostRule } from "./host-rule.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";
import type { UntrustedProxies } from "./untrusted-proxies.ts";

/** Access rules of a service. */
export interface Access {
  /** True if bound to a non-loopback address, or known by another name (allowed hosts, a public base URL). */
  exposed: boolean;
  /** Names that `Host` and `Origin` may have besides loopback; with a port only if just that port is meant. */
  allowedHosts: readonly string[];
  /**
   * `api_token`: routes have no credentials of their own, so exposed requests must carry the token.
   * `routes`: each route checks its own credentials; the door asks for none, and leaves Host and Origin to them.
   * `none`: open to anyone who reaches it, by the operator's explicit wish.
   */
  guard: "api_token" | "routes" | "none";
  /** The token of guard `api_token`; without one, every exposed request is refused. */
  apiToken?: string;
  /** A token whose holder counts as the machine's owner. Absent: no token makes an owner. */
  ownerToken?: string;
  /** Paths that never need the token: exact, or ending with `*`. Their handlers check `call.trusted` and decide. */
  openPaths: readonly string[];
  /** Proxies whose headers are trusted to name the caller's address. They grant no access. */
  trustedProxies?: TrustedProxies;
  /** Told of each request, so that a forgotten proxy is noticed. */
  untrustedProxies?: UntrustedProxies;
}

/** Admits a request or throws the AppError that refuses it. Returns true if the caller is trusted. */
export type FrontDoor = (request: Request, peer: Peer) => boolean;

/** Paths that answer without credentials in every service. */
const alwaysOpen = ["/health", "/v1/health", "/healthz", "/readyz"];

/**
 * Creates the checks before any route: a readable URL, one allowed `Host`, no foreign `Origin`, and the API token if the service is exposed
 * or a proxy forwarded the request. Callers on the control socket and in this process are always trusted.
 */
export function createFrontDoor(access: Access): FrontDoor {
  const isOwnHost = createHostRule(access.allowedHosts);
  const carriesToken = access.apiToken === undefined ? () => false : createBearerCheck(access.apiToken);
  const openPaths = [...alwaysOpen, ...access.openPaths];
  return (request, peer) => {
    const path = requirePath(request.url);
    if (peer !== "network") return true;
    const { headers } = request;
    requireOneHost(headers);
    if (access.guard === "routes") return true;
    if (!isOwnHost(headers.get("host") ?? "")) {
      throw new AppError(
        "misdirected",
        "misdirected",
        "This service isn't known by the name in the Host header.",
        {
          details: {
            hint: "Call it as localhost, or let the operator add the name to ARGOSY_ALLOWED_HOSTS.",
          },
        },
      );
    }
    requireOwnOrigin(headers, isOwnHost);
    if (access.guard === "none" || !(access.exposed || isForwarded(headers))) return true;
    if (carriesToken(headers.get("authorization"))) return true;
    if (openPaths.some((open) => isUnder(path, open))) return false;
    throw new AppError("unauthorized", "unauthorized", "This request needs the API token.", {
      details: { hint: "Send it as `Authorization: Bearer …`; the operator has it as PLATFORM_API_TOKEN." },
    });
  };
}

/**
 * Returns a function that tells whether the machine's owner sent a request. The owner sends requests over the control socket, from this
 * process, in a console session opened with the owner's link, or with the token that the operator set as the owner's.
 */
export function createOwnerRule({
  ownerToken,
}: Pick<Access, "ownerToken">): (request: Request, origin: Origin) => boolean {
  const carriesToken = ownerToken === undefined ? () => false : createBearerCheck(ownerToken);
  return ({ headers }, { peer, isOwner = false }) =>
    peer !== "network" || isOwner || carriesToken(headers.get("authorization"));
}

/** Several Host headers arrive joined by a comma, but the URL was built from the first one only. */
function requireOneHost(headers: Headers): void {
  if (!headers.get("host")?.includes(",")) return;
  throw new AppError("invalid", "invalid_request", "A request has one Host header.");
}

function requireOwnOrigin(headers: Headers, isOwnHost: (host: string) => boolean): void {
  const origin = headers.get("origin");
  if (origin === null) return;
  const url = URL.parse(origin);
  if (url?.protocol.startsWith("http") && isOwnHost(url.host)) return;
  throw new AppError("forbidden", "forbidden", "Pages of another site may not call this service.");
}

/** Returns true if a proxy forwarded the request, so its caller may not be on this machine. */
export function isForwarded(headers: Headers): boolean {
  if (headers.has("forwarded")) return true;
  for (const name of headers.keys()) if (name.startsWith("x-forwarded-")) return true;
  return false;
}

/** Returns a check for `token` in an `Authorization` header. Its time does not reveal how much of the token was right. */
export function createBearerCheck(token: string): (authorization: string | null) => boolean {
  return (authorization) => {
    const sent = authorization === null ? undefined : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return sent !== undefined && equalSecrets(sent, token);
  };
}

/** Limit for path and query together, in bytes. */
export const urlBytesMax = 8 * 1024;

/**
 * Returns the path of a request's URL, escapes kept. Refuses URLs that routers and handlers could read differently: incomplete ones, too
 * long ones, empty segments, escapes that are not UTF-8, and NUL. A URL is incomplete if `Host` is missing or malformed, because the server
 * then leaves a bare path.
 */
export function requirePath(url: string): string {
  if (!url.startsWith("http")) {
    throw new AppError("invalid", "invalid_request", "The Host header is missing or not a host name.");
  }
  const pathAt = url.indexOf("/", "https://".length);
  if (url.length - pathAt > urlBytesMax) {
    throw new AppError("too_large", "body_too_large", "The URL's path and query may have 8 KiB.");
  }
  const queryAt = url.indexOf("?", pathAt);
  const path = url.slice(pathAt, queryAt === -1 ? undefined : queryAt);
  if (path.includes("//") || !isReadable(path)) {
    throw new AppError("not_found", "not_found", "No resource can have this path.");
  }
  if (queryAt !== -1 && !isReadable(url.slice(queryAt))) {
    throw new AppError("invalid", "invalid_request", "The query isn't percent-encoded UTF-8, or holds NUL.");
  }
  return path;
}

/** Returns true if `path` matches `pattern`: a trailing slash is ignored, and a trailing `*` matches any rest. */
export function isUnder(path: string, pattern: string): boolean {
  if (pattern.endsWith("*")) return path.startsWith(pattern.slice(0, -1));
  return (
    path === pattern || (path.length === pattern.length + 1 && path.startsWith(pattern) && path.endsWith("/"))
  );
}

function isReadable(escaped: string): boolean {
  if (!escaped.includes("%")) return true;
  try {
    return !decodeURIComponent(escaped).includes("\0");
  } catch {
    return false;
  }
}
