import { type ParsedAddress, parseAddress } from "../wire/address.ts";

export const chatRoute = "/chat/completions";

/**
 * Parses an operator's endpoint to the API's base address. Accepts it with or without `/v1` or a trailing slash. The full address of the
 * chat route is used unchanged.
 */
export function parseEndpoint(endpoint: string): ParsedAddress {
  return parseAddress(endpoint, (path) => {
    if (path.endsWith(chatRoute)) return path.slice(0, -chatRoute.length);
    return /\/v[0-9]/.test(path) ? path : `${path}/v1`;
  });
}
