/** One request through the guarded door. */
export interface NetworkRequest {
  url: string;
  method: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** For everything together: name, connections, redirects, body. */
  timeoutMs: number;
  /** Decoded bytes of the body that are read at most. */
  bodyBytesMax: number;
  /** What becomes of a longer body: refused, or cut there. */
  whenLonger: "refuse" | "cut";
  /** Redirects that are followed, each checked anew; 0: a redirect is the answer. */
  redirectsMax: number;
  /** Whether this machine may be reached (`allow_localhost` of an operator's entry); never a link-local address. */
  allowsLoopback?: boolean;
  /** An origin that the operator's configuration names: it may be private. Never one that a model or a manifest names. */
  trustedOrigin?: string;
  signal: AbortSignal;
}

/** An answer, read. */
export interface NetworkAnswer {
  status: number;
  headers: Headers;
  /** Where it came from, after redirects. */
  url: string;
  body: Uint8Array;
  /** Whether the body was longer. */
  wasCut: boolean;
}

/**
 * The one door to the network for whatever a model, a page or a manifest names. Every name is resolved once and every
 * address checked before a connection is opened to that very address; proxies of the environment are ignored.
 * Throws AppError: `network_refused` (where it may not go; never names an address), `network_failed`, `network_timed_out`,
 * `network_body_too_large`, or the signal's reason.
 */
export interface GuardedNetwork {
  request(request: NetworkRequest): Promise<NetworkAnswer>;
  /** The same door for libraries that want a `fetch`, with an answer whose body is still to be read, under the same bounds. */
  fetch(url: string, init: RequestInit, bounds: FetchBounds): Promise<Response>;
}

export interface FetchBounds extends Pick<NetworkRequest, "redirectsMax" | "allowsLoopback"> {
  /** Until the answer's head is there. */
  headTimeoutMs: number;
  /** Decoded bytes of the body; a longer one fails while it is read. Absent: a stream without end, such as events. */
  bodyBytesMax?: number;
}
