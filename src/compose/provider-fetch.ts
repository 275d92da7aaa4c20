import type { ProviderFetch } from "../engine/models/providers/provider-kind.ts";
import { AppError } from "../kit/app-error.ts";
import { isLoopback } from "./exposure.ts";

/**
 * `fetch` for endpoints of the operator's own configuration only: model servers and the messaging provider. They may be on this machine or
 * a private network; the environment's proxy is used except on this machine. Redirects are not followed, because they could send the key
 * elsewhere. Addresses from models, tenants or pages go through `engine/tools/network`.
 */
export const providerFetch: ProviderFetch = async (url, init) =>
  fetch(url, isHere(url) ? { redirect: "manual", ...init, proxy: false } : { redirect: "manual", ...init });

/** Known addresses, with true for those on this machine: runs call the same few again and again. */
const here = new Map<string, boolean>();
const hereMax = 256;

/** Returns true if the address is on this machine. Throws AppError if it is none of HTTP. */
function isHere(url: string): boolean {
  const known = here.get(url);
  if (known !== undefined) return known;
  const { protocol, hostname } = URL.parse(url) ?? {};
  // Bun's fetch also reads files, `data:` URLs and S3.
  if (protocol !== "http:" && protocol !== "https:") throw notHttp();
  const found = isLoopback((hostname ?? "").replace(/^\[(.*)\]$/, "$1"));
  if (here.size >= hereMax) here.clear();
  here.set(url, found);
  return found;
}

function notHttp(): AppError {
  return new AppError(
    "invalid",
    "endpoint_not_http",
    "An endpoint has to be an http:// or https:// address.",
  );
}
