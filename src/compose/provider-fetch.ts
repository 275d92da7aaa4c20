import type { ProviderFetch } from "../engine/models/providers/provider-kind.ts";
import { AppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";
import { isLoopback } from "../kit/fetch/is-loopback.ts";
import { repeatingBroken } from "../kit/fetch/repeat-broken.ts";

/** Remembered addresses. */
const hereMax = 256;

/**
 * Creates a `fetch` for endpoints of the operator's own configuration only: model servers, vector stores and the messaging providers. They
 * may be on this machine or a private network; the environment's proxy is used except on this machine. Redirects are not followed, because
 * they could send the key elsewhere. A request is sent again if its connection turns out to be closed, unless `keepalive` is false.
 * Addresses from models, tenants or pages go through `engine/tools/network`.
 */
export function createProviderFetch(clock: Clock): ProviderFetch {
  /** Known addresses, with true for those on this machine: runs call the same few again and again. */
  const here = new Map<string, boolean>();

  /** Returns true if the address is on this machine. Throws AppError if it is none of HTTP. */
  function isHere(url: string): boolean {
    const known = here.get(url);
    if (known !== undefined) return known;
    const { protocol, hostname } = URL.parse(url) ?? {};
    // Bun's fetch also reads files, `data:` URLs and S3.
    if (protocol !== "http:" && protocol !== "https:") throw notHttp();
    const isOwnMachine = isLoopback((hostname ?? "").replace(/^\[(.*)\]$/, "$1"));
    if (here.size >= hereMax) here.clear();
    here.set(url, isOwnMachine);
    return isOwnMachine;
  }

  return repeatingBroken(
    (url, init) =>
      fetch(
        url,
        isHere(url) ? { redirect: "manual", ...init, proxy: false } : { redirect: "manual", ...init },
      ),
    clock,
  );
}

function notHttp(): AppError {
  return new AppError(
    "invalid",
    "endpoint_not_http",
    "An endpoint has to be an http:// or https:// address.",
  );
}
