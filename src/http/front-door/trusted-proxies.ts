import ipaddr from "ipaddr.js";

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks of proxies that are trusted to report a request's address. */
export type TrustedProxies = readonly (readonly [IpAddress, number])[];

/** A wider network would contain callers as well, who could then forge their address. */
const prefixMin = { ipv4: 8, ipv6: 7 };

/** Parses addresses and networks; `faults` lists the invalid entries. */
export function readTrustedProxies(entries: readonly string[]): {
  proxies: TrustedProxies;
  faults: { entry: string; message: string }[];
} {
  const proxies: [IpAddress, number][] = [];
  const faults: { entry: string; message: string }[] = [];
  for (const entry of entries) {
    const read = readEntry(entry);
    if (typeof read === "string") faults.push({ entry, message: read });
    else proxies.push(read);
  }
  return { proxies, faults };
}

function readEntry(entry: string): [IpAddress, number] | string {
  if (!entry.includes("/")) {
    const address = readIpAddress(entry);
    return address ? [address, address.kind() === "ipv4" ? 32 : 128] : missing;
  }
  const network = readNetwork(entry);
  if (network === undefined) return missing;
  const [first, bits] = network;
  if (bits < prefixMin[first.kind()]) return `is too wide: at least /${prefixMin[first.kind()]}`;
  if (first instanceof ipaddr.IPv6 && first.isIPv4MappedAddress())
    return "must be written as an IPv4 network";
  return network;
}

const missing = "is not an address or network such as 10.1.0.0/16";

function readNetwork(text: string): [IpAddress, number] | undefined {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return ipaddr.IPv4.parseCIDR(text);
  return isPlain6(text) && ipaddr.IPv6.isValidCIDR(text) ? ipaddr.IPv6.parseCIDR(text) : undefined;
}

/** Parses a complete address. An IPv4 address in IPv6 form becomes IPv4. */
export function readIpAddress(text: string): IpAddress | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return isPlain6(text) && ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined;
}

/** Returns true for an IPv6 address without a zone, and not `::1.2.3.4`, which ipaddr.js reads as `::ffff:1.2.3.4`. */
const isPlain6 = (text: string) => text.includes(":") && !/%|^::\d+\./.test(text);

export function isTrusted(proxies: TrustedProxies, address: IpAddress): boolean {
  return proxies.some(([first, bits]) => first.kind() === address.kind() && address.match(first, bits));
}
