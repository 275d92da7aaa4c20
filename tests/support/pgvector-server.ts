import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

/**
 * PostgreSQL with pgvector in this process, behind a real socket. All connections share one backend, so clients must use one connection at
 * a time.
 */
export interface PgvectorServer {
  url: string;
  /** Closes the socket, and every connection with it; `start` opens it again on the same port, with the data. */
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Leaves room for a client that connects while another one disconnects. */
const maxConnections = 8;

export async function startPgvectorServer(): Promise<PgvectorServer> {
  const db = await PGlite.create({ extensions: { vector } });
  let server = new PGLiteSocketServer({ db, host: "127.0.0.1", port: 0, maxConnections });
  await server.start();
  const port = Number(server.getServerConn().split(":").at(-1));
  const crash = () => server.stop();
  return {
    url: `postgres://postgres:pgvector-password@127.0.0.1:${port}/postgres`,
    crash,
    async start() {
      server = new PGLiteSocketServer({ db, host: "127.0.0.1", port, maxConnections });
      await server.start();
    },
    async stop() {
      await crash();
      await db.close();
    },
  };
}
