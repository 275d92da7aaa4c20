import ipaddr from "ipaddr.js";
import { type IpAddress, readAddress } from "./address-kind.ts";
import { isHostName, isLocalhostName } from "./host-name.ts";

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Hosts and networks that the operator has opened in addition to the public internet. */
export interface OpenedNetworks {
  hosts: ReadonlySet<string>;
  ranges: readonly Range[];
}

export const nothingOpened: OpenedNetworks = { hosts: new Set(), ranges: [] };

/** Minimum prefix length; a wider range would open more than intended. */
const prefixMin = { ipv4: 8, ipv6: 7 };

/** Parses `spec.network.allow`: networks, addresses and host names. `faults` has a message for each invalid entry. */
export function openedNetworks(entries: readonly string[]): {
  opened: OpenedNetworks;
  faults: { index: number; message: string }[];
} {
  const hosts = new Set<string>();
  const ranges: Range[] = [];
  const faults: { index: number; message: string }[] = [];
  for (const [index, entry] of entries.entries()) {
    const read = readEntry(entry.toLowerCase());
    if (typeof read === "string") faults.push({ index, message: read });
    else if ("host" in read) hosts.add(read.host);
    else ranges.push(read.range);
  }
  return { opened: { hosts, ranges }, faults };
}

function readEntry(entry: string): { host: string } | { range: Range } | string {
  if (!/[/:]/.test(entry) && !/(^|\.)(0x[0-9a-f]*|[0-9]+)\.?$/.test(entry)) {
    const host = entry.replace(/\.$/, "");
    return isHostName(host) ? { host } : "is not a host name";
  }
  const range = readRange(entry);
  if (range === undefined) return "is not a network such as 10.1.0.0/16, address or host name";
  const [first, bits] = range;
  if (bits < prefixMin[first.kind()]) return `is too wide: at least /${prefixMin[first.kind()]}`;
  const base = readAddress(first.toString());
  if (base === undefined || base.kind === "forbidden" || first.toByteArray().every((byte) => byte === 0)) {
    return "can't be opened: link-local, metadata, multicast and translated addresses stay closed";
  }
  if (base.parsed.kind() !== first.kind()) return "must be written as an IPv4 network";
  return { range };
}

function readRange(entry: string): Range | undefined {
  if (!entry.includes("/")) {
    const address = readAddress(entry)?.parsed;
    return address && [address, address.kind() === "ipv4" ? 32 : 128];
  }
  if (entry.includes("%")) return undefined;
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(entry)) return ipaddr.IPv4.parseCIDR(entry);
  return entry.includes(":") && ipaddr.IPv6.isValidCIDR(entry) ? ipaddr.IPv6.parseCIDR(entry) : undefined;
}

/**
 * Returns true if the operator opened this address, for every host or for this one. A host name opens loopback addresses only if it is
 * localhost.
 */
export function isOpened({ hosts, ranges }: OpenedNetworks, host: string, address: IpAddress): boolean {
  if (address.kind === "forbidden") return false;
  if (hosts.has(host) && (address.kind !== "loopback" || isLocalhostName(host))) return true;
  return ranges.some(
    ([first, bits]) => first.kind() === address.parsed.kind() && address.parsed.match(first, bits),
  );
}
