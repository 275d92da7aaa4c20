import { createHash } from "node:crypto";
import type { Worker } from "../../../kit/worker.ts";
import { McpServer, type ServerPorts } from "./mcp-server.ts";
import type { ServerAddress } from "./server-address.ts";

/** All MCP servers of one tenant's agents. Agents with the same server configuration share one connection. */
export class McpServers {
  readonly #ports: ServerPorts;
  readonly #servers = new Map<string, McpServer>();
  #kept: ReadonlySet<McpServer> = new Set();
  #isEager = false;

  constructor(ports: ServerPorts) {
    this.#ports = ports;
  }

  /** Returns the server at this address without starting it. `name` is its name in the log. */
  at(name: string, address: ServerAddress): McpServer {
    const key = createHash("sha256").update(JSON.stringify(address)).digest("hex").slice(0, 32);
    const known = this.#servers.get(key);
    if (known !== undefined) return known;
    const server = new McpServer(key, name, address, this.#ports);
    this.#servers.set(key, server);
    return server;
  }

  /** Sets the servers that agents use from now on; others are closed when no calls are left. */
  keep(servers: Iterable<McpServer>): void {
    this.#kept = new Set(servers);
    for (const [key, server] of this.#servers) {
      const isKept = this.#kept.has(server);
      server.keep(isKept, this.#isEager);
      // Created for an agent that was not loaded.
      if (!isKept && server.status().state === "idle") this.#servers.delete(key);
    }
  }

  /** Connects the servers of agents and reconnects lost ones. Without this worker, a server is connected on demand. */
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

  /** Ends all connections and local server processes. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #beEager(isEager: boolean): void {
    this.#isEager = isEager;
    for (const server of this.#kept) server.keep(true, isEager);
  }
}
