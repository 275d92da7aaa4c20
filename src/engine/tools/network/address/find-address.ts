import { startDeadline } from "../../../../kit/deadline.ts";
import { timedOut } from "../network-error.ts";
import { type AddressPorts, createAddressResolver } from "./address-resolver.ts";
import { vetUrl } from "./vet-url.ts";

/** Returns the single address that a connection to the host may use; throws `network_refused` if there is none. */
export type AddressOf = (host: string, signal: AbortSignal) => Promise<string>;

const timeoutMs = 10_000;

/**
 * Network checks for protocols other than HTTP: mail, PostgreSQL. The caller connects to the address itself, so that a later change of the
 * name has no effect.
 */
export function createAddressFinder(ports: AddressPorts): AddressOf {
  const book = createAddressResolver(ports);
  return async (host, signal) => {
    const deadline = startDeadline(ports.clock, timeoutMs, () => timedOut(timeoutMs), [signal]);
    try {
      const [address] = await book.find(vetUrl(urlOfHost(host)), { allowsLoopback: false }, deadline.signal);
      // `find` returns at least one address.
      return (address as { text: string }).text;
    } finally {
      deadline.dispose();
    }
  };
}

/** A host as a URL, so that all protocols share the same checks. */
export const urlOfHost = (host: string): string =>
  `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`;
