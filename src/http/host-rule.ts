/** Decides whether a `Host` or the host of an `Origin` is this service's own. */
export type HostRule = (host: string) => boolean;

/**
 * Loopback in any spelling a browser sends, or one of `allowed`: names in any case, with a port only when just that port
 * is meant. This is the guard against DNS rebinding, where a foreign page's own name leads to a local address.
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
