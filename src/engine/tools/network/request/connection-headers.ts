import type { RunMeans, ToolCredential } from "../../run-means.ts";
import { isBelow } from "./path-below.ts";
import { headerFault, isStrippedHeader } from "./request-headers.ts";

/** The headers with a connection's credential for `url`, or the reason why it can't be sent there. */
export function connectionHeaders(
  name: string,
  url: string,
  means: RunMeans | undefined,
): { headers: Record<string, string>; credentialBase: string } | { fault: string } {
  const connection = means?.connection(name);
  if (connection === undefined) return { fault: `There is no connection ${name} in this run.` };
  const { baseUrl } = connection;
  if (baseUrl === undefined) {
    return {
      fault: `The connection ${name} has no base_url, so its credential is not sent. An admin of the tenant must store it again with the address that it is for.`,
    };
  }
  const called = URL.parse(url);
  if (called === null || !isBelow(called, baseUrl)) {
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
  return { headers, credentialBase: baseUrl };
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
