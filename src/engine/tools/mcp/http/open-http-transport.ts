import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export interface HttpTransportOptions {
  transport: "sse" | "http";
  url: URL;
  fetch: FetchLike;
}

/** A transport as the SDK has it, with a polite end where the protocol knows one. */
export interface HttpTransport {
  transport: Transport;
  /** Tells the server that the session is over. */
  endSession(): Promise<void>;
}

/** Streams that break are resumed this soon, and tried as often before the connection counts as lost. */
const reconnectionOptions = {
  initialReconnectionDelay: 250,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 4,
};

/** The SDK's transport to a server elsewhere; loads the SDK's part for it. */
export async function openHttpTransport(options: HttpTransportOptions): Promise<HttpTransport> {
  const { url, fetch } = options;
  if (options.transport === "sse") {
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    return { transport: new SSEClientTransport(url, { fetch }), endSession: async () => {} };
  }
  const { StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  );
  const transport = new StreamableHTTPClientTransport(url, { fetch, reconnectionOptions });
  return {
    // The SDK declares a session id that may be set to undefined, its interface one that may be missing.
    transport: transport as Transport,
    endSession: () => transport.terminateSession(),
  };
}
