import type { NetworkAnswer, NetworkRequest } from "../../network/guarded-network.ts";

/** A search request. */
export interface SearchQuery {
  query: string;
  /** At most 20. */
  resultsMax: number;
}

/** Access to a search service: its address without a trailing slash, and the key. */
export interface SearchAccess {
  baseUrl: string;
  key: string;
}

export interface SearchHit {
  title: string;
  url: string;
  snippet: string;
}

/** Reason why a service did not search, if the answer is more specific than its status. */
export type SearchRefusal = "key" | "quota" | "rate" | "query" | "setup";

/** A search service: its requests and the parsing of its answers. */
export interface SearchProvider {
  name: string;
  /** Text for the reference documentation. */
  docs: string;
  /** Undefined: the operator has to set one. */
  baseUrl: string | undefined;
  needsKey: boolean;
  request(
    query: SearchQuery,
    access: SearchAccess,
  ): Pick<NetworkRequest, "url" | "method" | "headers" | "body">;
  /** Returns the usable results of a successful answer; undefined if it is invalid. */
  read(answer: unknown): SearchHit[] | undefined;
  /** `said`: the answer's JSON, if it is JSON. */
  refusalOf?(status: number, said: unknown): SearchRefusal | undefined;
  /** Seconds until the next request is allowed. */
  waitSeconds?(headers: NetworkAnswer["headers"]): number | undefined;
}
