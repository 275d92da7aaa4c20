import type { AppError } from "../../kit/app-error.ts";

/** The part of an error body with the provider's own words, for the owner; empty if it said nothing. */
export function upstreamDetails({ details: { upstreamMessage } }: AppError): {
  details?: { provider_message: string };
} {
  return upstreamMessage === undefined ? {} : { details: { provider_message: upstreamMessage } };
}
