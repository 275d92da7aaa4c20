import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export interface HttpTransportOptions {
  transport: "sse" | "http";
  url: URL;
  fetch: FetchLike;
}

/** An SDK transport, with an orderly end if the protocol supports it. */
export interface HttpTransport {
  transport: Transport;
  /** Tells the server that the session has ended. */
  endSession(): Promise<void>;
}

/** Delays and retries for resuming a broken stream; after that, the connection is lost. */
const reconnectionOptions = {
  initialReconnectionDelay: 250,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 4,
};

/** Opens the SDK's transport to a remote server and loads the required part of the SDK. */
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
    // The SDK's class declares the session id as possibly undefined, its interface as optional.
    transport: transport as Transport,
    endSession: () => transport.terminateSession(),
  };
}
