import type { ProviderFetch } from "../engine/models/providers/provider-kind.ts";
import { AppError } from "../kit/app-error.ts";
import { isLoopback } from "./exposure.ts";

/**
 * `fetch` for endpoints of the operator's own configuration only: model servers and the messaging provider. They may be on this machine or
 * a private network; the environment's proxy is used except on this machine. Redirects are not followed, because they could send the key
 * elsewhere. Addresses from models, tenants or pages go through `engine/tools/network`.
 */
export const providerFetch: ProviderFetch = async (url, init) => {
  const { protocol, hostname } = URL.parse(url) ?? {};
  // Bun's fetch also reads files, `data:` URLs and S3.
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
