/** One request through the guarded network. */
export interface NetworkRequest {
  url: string;
  method: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Time limit for everything together: name, connections, redirects, body. */
  timeoutMs: number;
  /** Maximum decoded bytes of the body. */
  bodyBytesMax: number;
  /** Treatment of a longer body: refused, or cut. */
  whenLonger: "refuse" | "cut";
  /** Maximum redirects that are followed, each checked; 0: a redirect is returned as the answer. */
  redirectsMax: number;
  /** True if this machine may be reached (`allow_localhost` of an operator's entry); link-local addresses stay forbidden. */
  allowsLoopback?: boolean;
  /** An origin from the operator's configuration, which may be private. Never one from a model or a manifest. */
  trustedOrigin?: string;
  /**
   * The address that the request's credential is for. A first address that is not below it is refused. A redirect that leads out of it gets only
   * harmless headers, and no trust.
   */
  credentialBase?: string;
  signal: AbortSignal;
}

/** A complete answer. */
export interface NetworkAnswer {
  status: number;
  headers: Headers;
  /** Final URL after redirects. */
  url: string;
  body: Uint8Array;
  /** True if the body was longer. */
  wasCut: boolean;
}

/**
 * The only access to the network for addresses from a model, a page or a manifest. Every name is resolved once, and every address is
 * checked before a connection to that very address. The environment's proxies are ignored. Throws AppError: `network_refused` (target not
 * allowed; never names an address), `network_failed`, `network_timed_out`, `network_body_too_large`, or the signal's reason.
 */
export interface GuardedNetwork {
  request(request: NetworkRequest): Promise<NetworkAnswer>;
  /** The same for libraries that need a `fetch`. The answer's body is unread and has the same limits. */
  fetch(url: string, init: RequestInit, bounds: FetchBounds): Promise<Response>;
}

export interface FetchBounds extends Pick<NetworkRequest, "redirectsMax" | "allowsLoopback"> {
  /** Time limit until the headers of the answer. */
  headTimeoutMs: number;
  /** Maximum decoded bytes of the body; a longer one fails while it is read. Absent: an endless stream, such as events. */
  bodyBytesMax?: number;
}
