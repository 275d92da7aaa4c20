import type { NetworkAnswer, NetworkRequest } from "../../network/guarded-network.ts";

/** What is searched for. */
export interface SearchQuery {
  query: string;
  /** At most 20. */
  resultsMax: number;
}

/** Where a search goes: the address of the service, without a slash at its end, and the key to it. */
export interface SearchAccess {
  baseUrl: string;
  key: string;
}

export interface SearchHit {
  title: string;
  url: string;
  snippet: string;
}

/** Why a service did not search, where its answer tells more than its status does. */
export type SearchRefusal = "key" | "quota" | "rate" | "query" | "setup";

/** A search service: how it is asked, and how its answers are read. */
export interface SearchProvider {
  name: string;
  /** What people are told of it, in the reference. */
  docs: string;
  /** Undefined: the operator has to name one. */
  baseUrl: string | undefined;
  needsKey: boolean;
  request(
    query: SearchQuery,
    access: SearchAccess,
  ): Pick<NetworkRequest, "url" | "method" | "headers" | "body">;
  /** The results of a successful answer, as far as they can be used; undefined when it is none. */
  read(answer: unknown): SearchHit[] | undefined;
  /** `said` is the answer's JSON, if it is JSON. */
  refusalOf?(status: number, said: unknown): SearchRefusal | undefined;
  /** Seconds until it may be asked again. */
  waitSeconds?(headers: NetworkAnswer["headers"]): number | undefined;
}
