import type { LimitSetter } from "../../judge-call.ts";

/** Where and how a server is called. */
export interface Address {
  /** The API's base address. */
  base: URL;
  /** What every request carries: the key, the version of the API. */
  headers: Readonly<Record<string, string>>;
  /** Longest wait for an answer to begin, and longest silence within it. */
  timeoutMs: number;
  /** Who chose `timeoutMs`. */
  limitBy: LimitSetter;
}

export type ParsedAddress = { base: URL; fault?: never } | { base?: never; fault: string };

/**
 * The base address of what an operator wrote; `basePath` makes the API's path of the one given, which comes without trailing
 * slashes. A sentence saying what is wrong when it is no address of a server.
 */
export function parseAddress(endpoint: string, basePath: (path: string) => string): ParsedAddress {
  const base = URL.parse(endpoint.trim());
  if (!base || (base.protocol !== "http:" && base.protocol !== "https:")) {
    return { fault: "is no http or https address" };
  }
  if (base.username !== "" || base.password !== "") {
    return { fault: "holds a user name or password; give the key by api_key_env" };
  }
  base.hash = "";
  base.pathname = basePath(base.pathname.replace(/\/+$/, ""));
  return { base };
}

/** The address of one of the API's routes, which may bring a query; that of the base (`?api-version=`) is kept. */
export function routeOf(base: URL, route: string): string {
  const url = new URL(base);
  const [path = "", query] = route.split("?");
  url.pathname = `${base.pathname.replace(/\/$/, "")}${path}`;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url.href;
}

/** The header by which most vendors take their key; none without a key. */
export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}
