import type { ProviderFetch } from "../engine/models/providers/provider-ports.ts";
import { AppError } from "../kit/app-error.ts";
import { isLoopback } from "./exposure.ts";

/**
 * The second door to the network, for endpoints of the operator's own configuration alone: model servers, the messaging
 * provider. They may be on this machine or a private network, and behind the environment's proxy unless they are on this
 * machine. A redirect is the answer: followed, it could carry the key elsewhere. What a model, a tenant or a page names
 * goes through `engine/tools/network`.
 */
export const providerFetch: ProviderFetch = async (url, init) => {
  const { protocol, hostname } = URL.parse(url) ?? {};
  // Bun's fetch reads files, `data:` and S3 as well.
  if (protocol !== "http:" && protocol !== "https:") throw notHttp();
  const isHere = isLoopback((hostname ?? "").replace(/^\[(.*)\]$/, "$1"));
  return fetch(url, { redirect: "manual", ...init, ...(isHere && { proxy: false as const }) });
};

function notHttp(): AppError {
  return new AppError(
    "invalid",
    "endpoint_not_http",
    "An endpoint has to be an http:// or https:// address.",
  );
}
