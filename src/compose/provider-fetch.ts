import type { ProviderFetch } from "../engine/models/providers/provider-ports.ts";
import { isLoopback } from "./exposure.ts";

/** `fetch` to the model servers that the operator named: through the environment's proxy, but for those on this machine. */
export const providerFetch: ProviderFetch = (url, init) =>
  fetch(url, isOnThisMachine(url) ? { ...init, proxy: false } : init);

function isOnThisMachine(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return isLoopback(host.replace(/^\[(.*)\]$/, "$1"));
}
