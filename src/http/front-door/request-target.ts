import { AppError } from "../../kit/app-error.ts";

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
