import { startDeadline } from "../../../kit/deadline.ts";
import { type AddressPorts, createAddressBook } from "./address-book.ts";
import { timedOut } from "./network-error.ts";
import { vetUrl } from "./vet-url.ts";

/** Returns the one address that a connection to the host may go to; throws `network_refused` where it may go to none. */
export type AddressOf = (host: string, signal: AbortSignal) => Promise<string>;

const timeoutMs = 10_000;

/**
 * The guard of the network for protocols other than HTTP: mail, PostgreSQL. The caller connects to the address itself, so that
 * the name can't lead elsewhere a moment later.
 */
export function createAddressFinder(ports: AddressPorts): AddressOf {
  const book = createAddressBook(ports);
  return async (host, signal) => {
    const deadline = startDeadline(ports.clock, timeoutMs, () => timedOut(timeoutMs), [signal]);
    try {
      const [address] = await book.find(vetUrl(urlOfHost(host)), { allowsLoopback: false }, deadline.signal);
      // `find` gives at least one.
      return (address as { text: string }).text;
    } finally {
      deadline.dispose();
    }
  };
}

/** A host as a URL, so that one reading judges it whatever protocol it is for. */
export const urlOfHost = (host: string): string =>
  `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`;
