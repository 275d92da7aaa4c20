import { SecretRegistry } from "../../../../kit/secrets/secret-registry.ts";
import type { LimitSetter } from "../../judge-call.ts";

/** Address, headers and time limit for calls of a server. */
export interface ProviderAddress {
  /** The API's base address. */
  base: URL;
  /** Headers of every request: the key and the version of the API. */
  headers: Readonly<Record<string, string>>;
  /** Maximum wait for an answer to begin, and maximum silence within it. */
  timeoutMs: number;
  /** Origin of `timeoutMs`: the operator or a caller. */
  limitBy: LimitSetter;
}

export type ParsedAddress = { base: URL; fault?: never } | { base?: never; fault: string };

/**
 * Parses an operator's endpoint to a base address, or returns the problem with it. `basePath` converts the path, which has no trailing
 * slashes, to the API's base path.
 */
export function parseAddress(endpoint: string, basePath: (path: string) => string): ParsedAddress {
  const base = URL.parse(endpoint.trim());
  if (!base || (base.protocol !== "http:" && base.protocol !== "https:")) {
    return { fault: "is not an http or https address" };
  }
  if (base.username !== "" || base.password !== "") {
    return { fault: "holds a user name or password; give the key by api_key_env" };
  }
  base.hash = "";
  base.pathname = basePath(base.pathname.replace(/\/+$/, ""));
  return { base };
}

/** The address of an API route, which may include a query; the query of the base (`?api-version=`) is kept. */
export function routeOf(base: URL, route: string): string {
  const url = new URL(base);
  const [path = "", query] = route.split("?");
  url.pathname = `${base.pathname.replace(/\/$/, "")}${path}`;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Returns a function that masks the values of headers in a server's error, which some servers repeat, and what `mask` masks. */
export function maskHeaders(
  headers: Readonly<Record<string, string>>,
  mask: (text: string) => string = (text) => text,
): (text: string) => string {
  let secrets: SecretRegistry | undefined;
  return (text) => {
    if (secrets === undefined) {
      secrets = new SecretRegistry();
      for (const value of Object.values(headers)) secrets.add(value.replace(/^Bearer /, ""));
    }
    return mask(secrets.mask(text));
  };
}

/** The header that most vendors use for the key; empty without a key. */
export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}
