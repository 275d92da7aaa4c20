import { lookup } from "node:dns/promises";

/** Every address of a host name, or a rejection. */
export type ResolveName = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/** What the operating system's resolver says, IPv4 first. A lookup can't be stopped: whoever waits for it stops waiting. */
export const resolveBySystem: ResolveName = async (host) => {
  const found = await lookup(host, { all: true, order: "ipv4first" });
  return found.map(({ address }) => address);
};
