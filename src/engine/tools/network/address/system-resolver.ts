import { lookup } from "node:dns/promises";

/** Returns every address of a host name, or rejects. */
export type ResolveName = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Resolves with the operating system, IPv4 first. A lookup can't be cancelled; the caller only stops waiting. */
export const resolveBySystem: ResolveName = async (host) => {
  const found = await lookup(host, { all: true, order: "ipv4first" });
  return found.map(({ address }) => address);
};
