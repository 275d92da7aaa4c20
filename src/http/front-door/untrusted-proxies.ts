import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import { isTrusted, readIpAddress, type TrustedProxies } from "./trusted-proxies.ts";

const dayMs = 86_400_000;
/** Anyone can send such headers, so the list has an end. */
const addressesMax = 20;

/** Addresses that forward requests and are not trusted to name the caller: all callers behind one share its limits. */
export class UntrustedProxies {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #trusted: TrustedProxies;
  /** When each address was seen last, in milliseconds. */
  readonly #seen = new Map<string, number>();

  constructor(log: Logger, clock: Clock, trusted: TrustedProxies = []) {
    this.#log = log;
    this.#clock = clock;
    this.#trusted = trusted;
  }

  /** Notes a request, and warns of a new address. `peer` is the address of the connection. */
  note(headers: Headers, peer: () => string | undefined): void {
    if (!headers.has("x-forwarded-for") && !headers.has("forwarded")) return;
    const address = readIpAddress(peer() ?? "");
    if (address === undefined || isTrusted(this.#trusted, address)) return;
    const name = address.toString();
    const nowMs = this.#clock.monotonicMs();
    this.#forget(nowMs);
    const isNew = !this.#seen.has(name);
    if (isNew && this.#seen.size >= addressesMax) return;
    this.#seen.set(name, nowMs);
    if (isNew)
      this.#log.warn("http.untrusted_proxy", {
        address: name,
        message: `${name} forwards requests but is not in ARGOSY_TRUSTED_PROXIES, so all its callers count as one: they share the limits of sign-ins and of the web chat.`,
      });
  }

  /** Addresses of the last day that are private, as those of proxies usually are; others may be callers that invent the headers. */
  proxies(): string[] {
    this.#forget(this.#clock.monotonicMs());
    return [...this.#seen.keys()].filter((name) => readIpAddress(name)?.range() !== "unicast");
  }

  #forget(nowMs: number): void {
    for (const [name, seenMs] of this.#seen) if (nowMs - seenMs >= dayMs) this.#seen.delete(name);
  }
}
