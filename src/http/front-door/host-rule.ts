/** Returns true if a `Host`, or the host of an `Origin`, is this service's own. */
export type HostRule = (host: string) => boolean;

/**
 * Accepts loopback in any spelling that a browser sends, and names of `allowed`, in any case, with a port only if just that port is meant.
 * Guards against DNS rebinding, in which a foreign page's own name resolves to a local address.
 */
export function createHostRule(allowed: readonly string[]): HostRule {
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  return (host) => {
    const sent = host.toLowerCase();
    const name = withoutPort(sent);
    return isLoopback(name) || names.has(name) || names.has(sent);
  };
}

function withoutPort(host: string): string {
  const portAt = host.lastIndexOf(":");
  return portAt > host.lastIndexOf("]") ? host.slice(0, portAt) : host;
}

const loopbackAddress = /^127(?:\.\d{1,3}){3}$/;

function isLoopback(name: string): boolean {
  return name === "localhost" || name === "[::1]" || loopbackAddress.test(name);
}

/** Spells a host as in URLs and `Host` headers: IPv6 addresses in brackets. */
export const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);
