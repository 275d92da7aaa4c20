import ipaddr from "ipaddr.js";

/**
 * Returns the group that attempts from an address are counted under: an IPv4 address itself, or the /64 of an IPv6 address, which one
 * customer usually has as a whole. Text that is not an address is returned unchanged.
 */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts;
  return `${[a, b, c, d].map((part) => (part ?? 0).toString(16)).join(":")}::/64`;
}
