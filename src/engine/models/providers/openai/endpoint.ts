const chatPath = "/chat/completions";

/**
 * The API's base address of what an operator wrote: with or without `/v1`, with or without a trailing slash, or the full
 * address of the chat route, which is taken as it stands. A sentence saying what is wrong when it is no such address.
 */
export function parseEndpoint(
  endpoint: string,
): { base: URL; fault?: never } | { base?: never; fault: string } {
  const base = URL.parse(endpoint.trim());
  if (!base || (base.protocol !== "http:" && base.protocol !== "https:")) {
    return { fault: "is no http or https address" };
  }
  if (base.username !== "" || base.password !== "") {
    return { fault: "holds a user name or password; give the key by api_key_env" };
  }
  base.hash = "";
  const path = base.pathname.replace(/\/+$/, "");
  if (path.endsWith(chatPath)) base.pathname = path.slice(0, -chatPath.length);
  else base.pathname = /\/v[0-9]/.test(path) ? path : `${path}/v1`;
  return { base };
}

/** The address of one of the API's routes; a query of the base (`?api-version=`) is kept. */
export function routeOf(base: URL, route: string): string {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, "")}${route}`;
  return url.href;
}
