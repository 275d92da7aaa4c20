import type { ResolveName } from "../../src/engine/tools/network/address/address-resolver.ts";
import { openedNetworks } from "../../src/engine/tools/network/address/opened-networks.ts";
import { createGuardedNetwork } from "../../src/engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../src/engine/tools/network/direct-connection.ts";
import type { GuardedNetwork, NetworkRequest } from "../../src/engine/tools/network/guarded-network.ts";
import { type Clock, systemClock } from "../../src/kit/clock.ts";

export interface TestNetworkOptions {
  /** Names and their addresses; every other name is this machine. */
  names?: Record<string, string[]>;
  allow?: string[];
  clock?: Clock;
  resolve?: ResolveName;
}

/** The real guarded network over real sockets; only names are made up. */
export function testNetwork({
  names = {},
  allow = [],
  clock = systemClock,
  resolve,
}: TestNetworkOptions = {}): GuardedNetwork {
  return createGuardedNetwork({
    connect: createDirectConnections(clock),
    resolve: resolve ?? (async (host) => names[host] ?? ["127.0.0.1"]),
    clock,
    opened: openedNetworks(allow).opened,
  });
}

/** A request that may reach this machine and has every limit. */
export function testRequest(url: string, more: Partial<NetworkRequest> = {}): NetworkRequest {
  return {
    url,
    method: "GET",
    timeoutMs: 10_000,
    bodyBytesMax: 100_000,
    whenLonger: "refuse",
    redirectsMax: 5,
    allowsLoopback: true,
    signal: new AbortController().signal,
    ...more,
  };
}
