import type { NetworkAnswer } from "../../network/guarded-network.ts";
import { secondsIn } from "../json-answer.ts";
import type { SearchProvider, SearchRefusal } from "./search-provider.ts";

/** The reason why a service did not search, in a sentence for a model. It contains no text of the answer. */
export function searchFault(
  provider: SearchProvider,
  { status, headers }: Pick<NetworkAnswer, "status" | "headers">,
  body: unknown,
): string {
  switch (provider.refusalOf?.(status, body) ?? usualRefusal(status)) {
    case "key":
      return "The search service did not accept the API key, which the operator has to fix; answer without a search and say so.";
    case "quota":
      return "The quota of searches is used up, which the operator has to fix; answer without a search and say so.";
    case "setup":
      return "The search service does not answer with JSON, which the operator has to allow in its settings; answer without a search and say so.";
    case "query":
      return "The search service did not take this query; make it shorter and simpler.";
    case "rate":
      return `The search service was asked too often; ${waitFor(provider, headers)}.`;
    default:
      return status >= 500
        ? `The search service has a fault of its own (status ${status}); try again later.`
        : `The search service answered with status ${status} and no results; its base_url may be wrong, which the operator has to fix.`;
  }
}

function usualRefusal(status: number): SearchRefusal | undefined {
  if (status === 401 || status === 403) return "key";
  if (status === 402) return "quota";
  if (status === 429) return "rate";
  return status === 400 || status === 422 ? "query" : undefined;
}

function waitFor(provider: SearchProvider, headers: Headers): string {
  const seconds = secondsIn(headers.get("retry-after")) ?? provider.waitSeconds?.(headers);
  return seconds === undefined ? "try again later" : `it may be asked again in ${seconds} seconds`;
}
