import type { Clock } from "../../../../kit/clock.ts";
import { untilAborted } from "../../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../../kit/deadline.ts";
import { LatestMap } from "../../../../kit/latest-map.ts";
import { failed, refused } from "../network-error.ts";
import { type IpAddress, readAddress } from "./address-kind.ts";
import { portRule } from "./closed-ports.ts";
import { isLocalhostName, isLocalName } from "./host-name.ts";
import { isOpened, type OpenedNetworks } from "./opened-networks.ts";
import type { Destination } from "./vet-url.ts";

const lookupMs = 5_000;
/** Maximum addresses of a name. A longer list may be an attempt to slip one address through. */
const addressesMax = 32;
const keptMs = 30_000;
const namesMax = 1_000;

/** Resolver and opened networks. */
export interface AddressPorts {
  resolve: ResolveName;
  clock: Clock;
  opened: OpenedNetworks;
}

/** Finds the addresses to which a request may be sent. */
export interface AddressResolver {
  /**
   * Returns at least one address, all of them checked. Throws or rejects with `network_refused` if a single one may not be reached. A
   * trusted destination may have any address except link-local, metadata and multicast ones. Synchronous for addresses and for recently
   * resolved names.
   */
  find(
    to: Destination,
    rules: { allowsLoopback: boolean; isTrusted?: boolean },
    signal: AbortSignal,
  ): readonly IpAddress[] | Promise<readonly IpAddress[]>;
  /** Makes the next `find` ask the resolver again. */
  forget(host: string): void;
}

/** Caches resolved addresses of names for 30 s; whether they may be reached is checked each time. */
export function createAddressResolver({ resolve, clock, opened }: AddressPorts): AddressResolver {
  const known = new LatestMap<string, { addresses: readonly IpAddress[]; staleAtMs: number }>(namesMax);
  const nothingIsOpened = opened.hosts.size === 0 && opened.ranges.length === 0;

  async function lookUp(host: string, signal: AbortSignal): Promise<readonly IpAddress[]> {
    const addresses = readAll(await ask(host, signal));
    known.set(host, { addresses, staleAtMs: clock.monotonicMs() + keptMs });
    return addresses;
  }

  async function ask(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const tooSlow = () => failed("The host's name could not be looked up in time.");
    const deadline = startDeadline(clock, lookupMs, tooSlow, [signal]);
    try {
      return await untilAborted(deadline.signal, () => resolve(host, deadline.signal));
    } catch {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw failed("The host's name is not known.");
    } finally {
      deadline.dispose();
    }
  }

  function remembered(host: string): readonly IpAddress[] | undefined {
    const knownAddress = known.get(host);
    return knownAddress !== undefined && knownAddress.staleAtMs > clock.monotonicMs()
      ? knownAddress.addresses
      : undefined;
  }

  return {
    find({ host, port, address }, { allowsLoopback, isTrusted = false }, signal) {
      const isLocal = address === undefined && isLocalName(host) && !opened.hosts.has(host);
      const isHere = isLocal && isLocalhostName(host);
      const needsOpening = portRule(port) === "opened";
      if (nothingIsOpened && needsOpening && !isTrusted) throw closedPort();
      if (nothingIsOpened && isLocal && !isHere && !isTrusted) throw notPublic();

      const mayReach = (candidate: IpAddress) =>
        (isTrusted && candidate.kind !== "forbidden") ||
        (!nothingIsOpened && isOpened(opened, host, candidate)) ||
        (!needsOpening &&
          (candidate.kind === "public" ? !isLocal : candidate.kind === "loopback" && allowsLoopback));
      const judged = (candidates: readonly IpAddress[]) => {
        if (candidates.length > 0 && candidates.every(mayReach)) return candidates;
        throw needsOpening ? closedPort() : notPublic();
      };
      // For localhost, one allowed address suffices; the resolver's addresses are accepted or refused together.
      if (isLocalhostName(host)) return judged(loopback.filter(mayReach));
      const atHand = address ? [address] : remembered(host);
      return atHand ? judged(atHand) : lookUp(host, signal).then(judged);
    },
    forget: (host) => void known.delete(host),
  };
}

const loopback = ["127.0.0.1", "::1"].flatMap((text) => readAddress(text) ?? []);

function readAll(texts: readonly string[]): readonly IpAddress[] {
  if (texts.length === 0) throw failed("The host's name is not known.");
  const addresses = texts.map(readAddress);
  if (texts.length > addressesMax || addresses.includes(undefined)) throw notPublic();
  return addresses as IpAddress[];
}

function closedPort() {
  return refused("This port may not be called.");
}

function notPublic() {
  return refused("This host is not on the public internet and may not be reached from here.");
}

/** Returns every address of a host name, or rejects. */
export type ResolveName = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Resolves with the operating system, IPv4 first. A lookup can't be cancelled; the caller only stops waiting. */
export const resolveBySystem: ResolveName = async (host) => {
  // Loaded with the first name: the module brings others that a daemon at rest doesn't need, 2 MiB.
  const { lookup } = await import("node:dns/promises");
  const addresses = await lookup(host, { all: true, order: "ipv4first" });
  return addresses.map(({ address }) => address);
};
