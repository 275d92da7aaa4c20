import type {
  GuardedNetwork,
  NetworkAnswer,
  NetworkRequest,
} from "../../src/engine/tools/network/guarded-network.ts";

/** A server's answer; a text, or an object as JSON, is a 200. */
export interface StagedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array | object;
  /** The address after redirects. */
  url?: string;
  wasCut?: boolean;
}

export interface StagedNetwork extends GuardedNetwork {
  /** The requests, in order. */
  readonly requests: NetworkRequest[];
}

/** A network with the answers of `answer`. */
export function stagedNetwork(
  answer: (request: NetworkRequest) => StagedAnswer | Promise<StagedAnswer>,
): StagedNetwork {
  const requests: NetworkRequest[] = [];
  return {
    requests,
    async request(request): Promise<NetworkAnswer> {
      requests.push(request);
      const {
        status = 200,
        headers = {},
        body = "",
        url = request.url,
        wasCut = false,
      } = await answer(request);
      return { status, headers: new Headers(headers), url, body: bytesOf(body), wasCut };
    },
    fetch: () => Promise.reject(new Error("nobody fetches here")),
  };
}

function bytesOf(body: string | Uint8Array | object): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
}
