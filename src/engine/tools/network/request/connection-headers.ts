import type { RunMeans, ToolCredential } from "../../run-means.ts";
import { headerFault, isStrippedHeader } from "./request-headers.ts";

/** The headers with a connection's credential for `url`, or the reason why it can't be sent there. */
export function connectionHeaders(
  name: string,
  url: string,
  means: RunMeans | undefined,
): { headers: Record<string, string> } | { fault: string } {
  const connection = means?.connection(name);
  if (connection === undefined) return { fault: `There is no connection ${name} in this run.` };
  if (connection.baseUrl !== undefined && !isBelow(url, connection.baseUrl)) {
    return { fault: `The connection ${name} is for another address than this tool's.` };
  }
  const headers = headersOf(connection);
  if (headers === undefined) {
    return {
      fault: `The connection ${name} has no credential for a request: it needs \`token\`, \`api_key\`, \`username\` and \`password\`, or \`headers\`.`,
    };
  }
  for (const [header, value] of Object.entries(headers)) {
    if (isStrippedHeader(header) || headerFault(header, value) !== undefined) {
      return { fault: `The connection ${name} holds a header that can't be sent.` };
    }
  }
  return { headers };
}

/** Headers from the material: complete headers, a bearer token, a user with password, or a key in `header` (default: X-API-Key). */
function headersOf({ material }: ToolCredential): Record<string, string> | undefined {
  const { headers, token, username, password, api_key, header = "x-api-key" } = material;
  if (typeof headers === "object" && headers !== null) {
    const entries = Object.entries(headers).map(
      ([name, value]) => [name.toLowerCase(), String(value)] as const,
    );
    return Object.fromEntries(entries);
  }
  if (typeof token === "string") return { authorization: `Bearer ${token}` };
  if (typeof username === "string" && typeof password === "string") {
    const pair = new TextEncoder().encode(`${username}:${password}`).toBase64();
    return { authorization: `Basic ${pair}` };
  }
  if (typeof api_key === "string" && typeof header === "string") return { [header.toLowerCase()]: api_key };
  return undefined;
}

/** Returns true if the address has the same origin and the same path or one below it. */
function isBelow(text: string, base: string): boolean {
  const url = URL.parse(text);
  const above = URL.parse(base);
  if (url === null || above === null || url.origin !== above.origin) return false;
  const folder = above.pathname.endsWith("/") ? above.pathname : `${above.pathname}/`;
  return url.pathname === above.pathname || url.pathname.startsWith(folder);
}
