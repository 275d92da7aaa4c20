import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";

/** A private PostgreSQL server for this test process: started at the first call, gone when the process is. */
export interface PostgresServer {
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Stops the server as a crash would; `start` brings it back on the same port with its data. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

const programs = findPrograms();

/** Says why the suites that need PostgreSQL are skipped; undefined when they can run. */
export const postgresMissing = programs === undefined ? "postgres not installed" : undefined;

let shared: Promise<PostgresServer> | undefined;

export function postgresServer(): Promise<PostgresServer> {
  shared ??= launch();
  return shared;
}

/** Debian keeps the server's programs out of PATH. */
function findPrograms(): string | undefined {
  const onPath = Bun.which("initdb");
  if (onPath !== null && Bun.which("postgres") !== null) return dirname(onPath);
  const versions = "/usr/lib/postgresql";
  if (!existsSync(versions)) return undefined;
  return readdirSync(versions)
    .map((version) => join(versions, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

/** PostgreSQL refuses to run as root: root's tests run it as nobody. */
const nobody = 65534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : ["setpriv"];

async function launch(): Promise<PostgresServer> {
  const bin = programs;
  if (bin === undefined) throw new Error("postgres not installed");
  const folder = mkdtempSync(join(tmpdir(), "argosy-postgres-"));
  const passwordFile = join(folder, "password");
  const password = crypto.randomUUID();
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (isRoot) for (const path of [folder, passwordFile]) chownSync(path, nobody, nobody);
  const data = join(folder, "data");
  const init = [
    "--no-sync",
    "-U",
    "argosy",
    "-A",
    "scram-sha-256",
    "--pwfile",
    passwordFile,
    "-E",
    "UTF8",
    "--locale=C.UTF-8",
  ];
  const made = Bun.spawnSync([...asUser, join(bin, "initdb"), "-D", data, ...init], { cwd: folder });
  if (!made.success) throw new Error(`initdb failed: ${made.stderr.toString()}`);

  const port = freePort();
  const settings = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=60"];
  const arguments_ = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder];
  // The kernel stops the server when this process dies, however it dies.
  const command = [...asUser, "--pdeathsig", "QUIT", join(bin, "postgres"), ...arguments_];
  let server: Bun.Subprocess | undefined;
  const url = (database: string) => `postgres://argosy:${password}@127.0.0.1:${port}/${database}`;

  const start = async () => {
    server = Bun.spawn([...command, ...settings.flatMap((setting) => ["-c", setting])], {
      cwd: folder,
      stdout: "ignore",
      stderr: "ignore",
    });
    server.unref();
    await answering(url("postgres"), server);
  };
  const crash = async () => {
    server?.kill("SIGQUIT");
    await server?.exited;
  };
  process.on("exit", () => {
    server?.kill("SIGQUIT");
    rmSync(folder, { recursive: true, force: true });
  });
  await start();

  let databases = 0;
  const createDatabase = async () => {
    databases += 1;
    const name = `test_${databases}`;
    await using admin = new SQL(url("postgres"), { max: 1 });
    await admin.unsafe(`create database ${name}`);
    return url(name);
  };
  return { createDatabase, crash, start };
}

async function answering(url: string, server: Bun.Subprocess): Promise<void> {
  while (server.exitCode === null) {
    const probe = new SQL(url, { max: 1 });
    const up = await probe.unsafe("select 1").then(
      () => true,
      () => false,
    );
    await probe.close();
    if (up) return;
  }
  throw new Error("The PostgreSQL server stopped while starting.");
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
