import type { ServiceName } from "../compose/settings/service-settings.ts";
import { asHttpUrl } from "../compose/settings/setting.ts";
import type { ServiceAddress } from "../contracts/service-call.ts";
import { AppError } from "../kit/app-error.ts";
import { serviceFetch } from "../kit/fetch/service-fetch.ts";

/** Returns the address of a service on the network, whose calls report an unreachable server by name. Throws `usage` for another kind of URL. */
export function networkAddress(
  name: ServiceName,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceAddress {
  if (asHttpUrl(url) === undefined)
    throw new AppError("invalid", "usage", `The ${name}'s address must be one of http or https.`);
  return {
    baseUrl: url,
    headers,
    async fetch(request) {
      try {
        return await serviceFetch(request);
      } catch (cause) {
        if (request.signal.aborted) throw cause;
        const message = `The ${name} at ${new URL(url).origin} can't be reached.`;
        throw new AppError("unavailable", `${name}_unreachable`, message, { cause });
      }
    },
  };
}
