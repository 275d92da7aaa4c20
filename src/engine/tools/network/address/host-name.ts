/** Last labels of names that are used only inside networks, clusters and machines. */
const localEnds: ReadonlySet<string> = new Set([
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "svc",
  "onion",
  "invalid",
]);

/** Returns true for a valid DNS host name; `_` is accepted, as resolvers do. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(text);
}

/** Names of this machine by RFC 6761, which are never resolved. */
export function isLocalhostName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

/** Returns true if only a local network can resolve the name. */
export function isLocalName(host: string): boolean {
  const end = host.slice(host.lastIndexOf(".") + 1);
  return end === host || localEnds.has(end) || host.endsWith(".home.arpa");
}
