import { maskValues } from "../../../../kit/secrets/mask-values.ts";
import { SecretRegistry } from "../../../../kit/secrets/secret-registry.ts";
import type { ToolResult } from "../../tool.ts";
import { pathBelow } from "./path-below.ts";

/** A connection of connections.yaml. */
export interface OperatorConnection {
  baseUrl: string;
  /** Header names are in lower case; the values contain the credential. */
  headers: Readonly<Record<string, string>>;
}

/** The current connections in connections.yaml. */
export interface OperatorConnections {
  find(name: string): OperatorConnection | undefined;
}

/** A request through a connection, and a filter that hides the connection from its result. */
export interface ConnectedCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  trustedOrigin: string;
  credentialBase: string;
  /** Converts addresses below the connection's to paths, and masks the address and the credential. */
  hide(result: ToolResult): ToolResult;
}

/** A call of `path` below a connection's address, whose credential replaces the caller's headers of the same name. */
export function throughConnection(
  connections: OperatorConnections,
  name: string,
  path: string,
  given: Readonly<Record<string, string>>,
): ConnectedCall | { fault: string } {
  const connection = connections.find(name);
  if (connection === undefined) return { fault: `There is no connection ${name} any more.` };
  const { baseUrl, headers } = connection;
  const below = pathBelow(baseUrl, path);
  if ("fault" in below)
    return { fault: `${below.fault}; give a path below the connection ${name}, such as /orders.` };
  const own = Object.entries(given).map(([header, value]) => [header.toLowerCase(), value] as const);
  return {
    url: below.url,
    headers: { ...Object.fromEntries(own), ...headers },
    trustedOrigin: new URL(baseUrl).origin,
    credentialBase: baseUrl,
    hide: hider(connection),
  };
}

/** Target of a call in proposals and traces. */
export function connectedTarget(name: string, path: string): string {
  const [plain = ""] = path.split(/[?#]/);
  return `${name}:${plain.startsWith("/") ? "" : "/"}${plain}`.slice(0, 300).toWellFormed();
}

function hider({ baseUrl, headers }: OperatorConnection): ConnectedCall["hide"] {
  const base = baseUrl.replace(/\/+$/, "");
  const { origin, host } = new URL(baseUrl);
  const secrets = new SecretRegistry();
  for (const value of Object.values(headers)) {
    secrets.add(value);
    // The server may repeat the value without its scheme.
    secrets.add(value.replace(/^\S+\s+/, ""));
  }
  for (const address of [base, origin, host]) secrets.add(address);
  const hide = (text: string) => secrets.mask(text.replaceAll(`${base}/`, "/"));
  return (result) =>
    result.success
      ? { success: true, data: maskValues(result.data, hide) }
      : { success: false, error: hide(result.error) };
}

const charsMax = 300;

/** A URL for a proposal, without its query, which may be confidential. */
export function calledUrl(text: string): string {
  const url = URL.parse(text);
  return (url === null ? text : `${url.origin}${url.pathname}`).slice(0, charsMax).toWellFormed();
}
