import ipaddr from "ipaddr.js";

/**
 * Class of an address. `private`: networks that an operator may open, including reserved ones. `forbidden`: addresses that can't be opened,
 * such as link-local, metadata services, multicast, and IPv6 forms that embed an IPv4 address.
 */
export type NetworkAddressKind = "public" | "loopback" | "private" | "forbidden";

/** An address in canonical form, which is used for connecting. */
export interface IpAddress {
  text: string;
  kind: NetworkAddressKind;
  parsed: ipaddr.IPv4 | ipaddr.IPv6;
}

/** Metadata services with credentials at addresses other than link-local; some are in ranges that operators open, one is public. */
const metadata: ReadonlySet<string> = new Set([
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::23",
  "fd00:ec2::254",
  "fd00:c1::a9fe:a9fe",
  "fd20:ce::254",
]);

const kindOfRange: Readonly<Record<string, NetworkAddressKind>> = {
  unicast: "public",
  loopback: "loopback",
  private: "private",
  uniqueLocal: "private",
  carrierGradeNat: "private",
  deprecatedSiteLocal: "private",
};

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
const openableReserved = ["2001:db8::/32", "3fff::/20"].map((range) => ipaddr.IPv6.parseCIDR(range));

const decimal = "(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";
const fourDecimals = new RegExp(`^${decimal}(?:\\.${decimal}){3}$`);

/** Parses an address by the rules of URLs and resolvers; undefined for anything else. */
export function readAddress(text: string): IpAddress | undefined {
  if (fourDecimals.test(text)) return readAddress4(text);
  // A zone names a local link. `::1.2.3.4` is obsolete, and ipaddr.js confuses it with `::ffff:1.2.3.4`.
  if (!text.includes(":") || /%|^::\d+\./.test(text) || !ipaddr.IPv6.isValid(text)) return undefined;
  const given = ipaddr.IPv6.parse(text);
  if (given.isIPv4MappedAddress()) return readAddress(given.toIPv4Address().toString());
  const parsed = ipaddr.IPv6.parse(thisMachine.get(given.toString()) ?? text);
  return addressOf(parsed, kindOf6(parsed));
}

function readAddress4(text: string): IpAddress {
  const parsed = ipaddr.IPv4.parse(thisMachine.get(text) ?? text);
  return addressOf(parsed, kindOf4(parsed));
}

/** The unspecified address connects to this machine, so it is treated as the loopback address. */
const thisMachine: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

function addressOf(parsed: ipaddr.IPv4 | ipaddr.IPv6, kind: NetworkAddressKind): IpAddress {
  const text = parsed.toString();
  return { text, parsed, kind: metadata.has(text) ? "forbidden" : kind };
}

function kindOf4(address: ipaddr.IPv4): NetworkAddressKind {
  const range = address.range();
  // Documentation, benchmarking, 240/4: used internally by some networks.
  return range === "reserved" ? "private" : (kindOfRange[range] ?? "forbidden");
}

function kindOf6(address: ipaddr.IPv6): NetworkAddressKind {
  const range = address.range();
  if (range === "reserved" && openableReserved.some((open) => address.match(open))) return "private";
  // ipaddr.js reports unknown ranges as unicast, including `::127.0.0.1`; only 2000::/3 is in use on the internet.
  if (range === "unicast" && (!address.match(globalUnicast) || isTunnelled(address))) return "forbidden";
  return kindOfRange[range] ?? "forbidden";
}

/** ISATAP: an IPv4 address after a marker in the interface identifier. */
function isTunnelled({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
}
