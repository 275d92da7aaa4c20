/** Ends of names that lead nowhere on the internet: networks, clusters and machines use them within. */
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

/** Whether a text is a host name as DNS has them; `_` is let through, as resolvers do. */
export function isHostName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(text);
}

/** Names of this machine by RFC 6761. They are never looked up. */
export function isLocalhostName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

/** Whether only a network of somebody's own can answer for a name. */
export function isLocalName(host: string): boolean {
  const end = host.slice(host.lastIndexOf(".") + 1);
  return end === host || localEnds.has(end) || host.endsWith(".home.arpa");
}
