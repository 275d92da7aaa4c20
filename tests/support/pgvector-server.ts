import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { SQL } from "bun";

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
  const db = await openEmpty();
  // The one backend takes no settings of connections: this is the limit that the store gives its own.
  await db.exec("set statement_timeout = 60000");
  let server = new PGLiteSocketServer({ db, host: "127.0.0.1", port: 0, maxConnections });
  await server.start();
  const port = Number(server.getServerConn().split(":").at(-1));
  const url = `postgres://postgres:pgvector-password@127.0.0.1:${port}/postgres`;
  await warmUp(url);
  const crash = () => server.stop();
  return {
    url,
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

/** Runs what a store's first use needs: code that is not compiled yet takes longer than a store waits on a busy machine. */
async function warmUp(url: string): Promise<void> {
  await using client = new SQL(url, { max: 1, connectionTimeout: 120 });
  await client`select ${1}::int`;
  await client
    .unsafe("begin; create extension vector; select '[1,2]'::vector <=> '[2,1]'; rollback")
    .simple();
}

const root = join(import.meta.dir, "../..");
const { version } = JSON.parse(
  readFileSync(join(root, "node_modules/@electric-sql/pglite/package.json"), "utf8"),
);

/** The files of an empty database, which the first server stores for the others. */
const emptyDatabase = join(root, `.cache/pglite-${version}.tar`);

/** Opens an empty database. Initializing one costs six times as much CPU time as loading its files. */
async function openEmpty(): Promise<PGlite> {
  const extensions = { vector };
  if (existsSync(emptyDatabase))
    return PGlite.create({ extensions, loadDataDir: new Blob([await Bun.file(emptyDatabase).bytes()]) });
  const db = await PGlite.create({ extensions });
  const files = await db.dumpDataDir("none");
  mkdirSync(dirname(emptyDatabase), { recursive: true });
  // Another file's server may be reading or storing it: a rename is complete or has not happened.
  const own = `${emptyDatabase}.${crypto.randomUUID()}`;
  writeFileSync(own, await files.bytes());
  renameSync(own, emptyDatabase);
  return db;
}
