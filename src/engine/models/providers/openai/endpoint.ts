import { type ParsedAddress, parseAddress } from "../wire/address.ts";

export const chatRoute = "/chat/completions";

/**
 * The API's base address of what an operator wrote: with or without `/v1`, with or without a trailing slash, or the full
 * address of the chat route, which is taken as it stands.
 */
export function parseEndpoint(endpoint: string): ParsedAddress {
  return parseAddress(endpoint, (path) => {
    if (path.endsWith(chatRoute)) return path.slice(0, -chatRoute.length);
    return /\/v[0-9]/.test(path) ? path : `${path}/v1`;
  });
}
