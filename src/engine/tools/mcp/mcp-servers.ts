import { createHash } from "node:crypto";
import type { Worker } from "../../../kit/worker.ts";
import { McpServer, type ServerPorts } from "./mcp-server.ts";
import type { ServerAddress } from "./server-address.ts";

/** All MCP servers of one tenant's agents: agents that name the same server in the same way share one connection to it. */
export class McpServers {
  readonly #ports: ServerPorts;
  readonly #servers = new Map<string, McpServer>();
  #kept: ReadonlySet<McpServer> = new Set();
  #isEager = false;

  constructor(ports: ServerPorts) {
    this.#ports = ports;
  }

  /** The server at this address; nothing is started. `name` is what the log calls it. */
  at(name: string, address: ServerAddress): McpServer {
    const key = createHash("sha256").update(JSON.stringify(address)).digest("hex").slice(0, 32);
    const known = this.#servers.get(key);
    if (known !== undefined) return known;
    const server = new McpServer(key, name, address, this.#ports);
    this.#servers.set(key, server);
    return server;
  }

  /** Takes the servers that agents have from now on; the others are closed once nobody calls them any more. */
  keep(servers: Iterable<McpServer>): void {
    this.#kept = new Set(servers);
    for (const [key, server] of this.#servers) {
      const isKept = this.#kept.has(server);
      server.keep(isKept, this.#isEager);
      // One that was made for an agent which nobody took.
      if (!isKept && server.status().state === "idle") this.#servers.delete(key);
    }
  }

  /** Connects the servers that agents have, and again when one is lost; without it a server is connected when it is needed. */
  worker(): Worker {
    return {
      name: "mcp-servers",
      run: async (signal) => {
        this.#beEager(true);
        const { promise, resolve } = Promise.withResolvers<void>();
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
        await promise;
        this.#beEager(false);
      },
    };
  }

  /** Ends all connections, and the servers that are processes of ours. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #beEager(isEager: boolean): void {
    this.#isEager = isEager;
    for (const server of this.#kept) server.keep(true, isEager);
  }
}
