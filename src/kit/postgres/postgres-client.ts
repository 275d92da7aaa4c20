import type { ReservedSQL, SQL } from "bun";

/** What a client of one connection asks its server for. */
export interface ClientServer {
  /** True if another host may take over when one can't be reached. */
  hasSeveralHosts: boolean;
  /** Opens a connection. Each attempt is given to `attempting`, which returns false if nobody needs it. Rejects with the driver's error. */
  open(attempting: (sql: SQL) => boolean): Promise<ReservedSQL>;
}

/** At most one connection, opened when it is first reserved, and again after the driver closed it while it was idle. */
export class PostgresClient {
  readonly #server: ClientServer;
  #sql: SQL | undefined;
  #isClosed = false;

  constructor(server: ClientServer) {
    this.#server = server;
  }

  async reserve(): Promise<ReservedSQL> {
    if (this.#sql !== undefined) {
      try {
        return await this.#sql.reserve();
      } catch (thrown) {
        if (!this.#server.hasSeveralHosts) throw thrown;
        dispose(this.#sql);
      }
    }
    return this.#server.open((sql) => {
      this.#sql = sql;
      if (this.#isClosed) dispose(sql);
      return !this.#isClosed;
    });
  }

  /** Ends the connection without waiting for the server. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sql?.close({ timeout: 0 });
  }
}

/** Ends a connection without waiting for the server. */
export function dispose(client: { close(options: { timeout: number }): Promise<void> }): void {
  void (async () => client.close({ timeout: 0 }))().catch(() => undefined);
}
