import { chownSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { freePort } from "./free-port.ts";

/** A PostgreSQL server with room for every database that tests ask for. */
export interface PostgresServer {
  /** Superuser's URL of the database `postgres`. */
  url: string;
  /** Returns the URL of a new, empty database, in a language's collation rather than C's: Argosy's own order must not depend on it. */
  createDatabase(): Promise<string>;
}

/** A server of this process alone: started at the first call, removed when the process ends. */
export interface OwnPostgresServer extends PostgresServer {
  /** Stops the server as a crash would; `start` brings it back on the same port with its data. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Starts the server again as a standby, which answers and takes no writes. */
  demote(): Promise<void>;
  /** Copies its data to a new folder, for a standby. */
  copyTo(folder: string): Promise<void>;
  /** Suspends the server and all its backends, with their connections; `thaw` resumes them. */
  freeze(): void;
  thaw(): void;
}

const programs = findPrograms();

/** Why the suites that need PostgreSQL are skipped; undefined if they can run. */
export const postgresMissing = programs === undefined ? "postgres not installed" : undefined;

let own: Promise<OwnPostgresServer> | undefined;

/** Returns this process's own server, for tests that stop or suspend it, or try to harm it. */
export function ownPostgresServer(): Promise<OwnPostgresServer> {
  own ??= launch();
  return own;
}

/** Environment variable with the URL of the server that all test files of a run share. */
export const runServerVariable = "ARGOSY_TEST_POSTGRES";

/** Returns the run's server if the runner started one, otherwise this process's own. */
export async function postgresServer(): Promise<PostgresServer> {
  const url = process.env[runServerVariable];
  return url === undefined ? ownPostgresServer() : serverAt(url);
}

/** Every name is new: databases of all test files are on one server. */
const serverAt = (url: string): PostgresServer => ({
  url,
  async createDatabase() {
    const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    await using admin = new SQL(url, { max: 1 });
    await admin.unsafe(`create database ${name} template template0 locale_provider icu icu_locale 'en-US'`);
    return databaseAt(url, name);
  },
});

export function databaseAt(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = name;
  return changed.href;
}

/** Debian does not put the server's programs in PATH. */
function findPrograms(): string | undefined {
  const onPath = Bun.which("initdb");
  if (onPath !== null && Bun.which("postgres") !== null) return dirname(onPath);
  const versions = "/usr/lib/postgresql";
  if (!existsSync(versions)) return undefined;
  return readdirSync(versions)
    .map((version) => join(versions, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

/** PostgreSQL refuses to run as root, so root's tests run it as the user nobody. */
const nobody = 65534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];

/** A server of one test, and a standby that follows it until it is promoted. */
export async function postgresPair(): Promise<{ primary: OwnPostgresServer; standby: OwnPostgresServer }> {
  const primary = await launch({ canBeFollowed: true });
  const standby = await launch({ canBeFollowed: true, primary });
  return { primary, standby };
}

interface Launching {
  canBeFollowed?: boolean;
  /** The server to follow. */
  primary?: OwnPostgresServer;
}

async function launch({ canBeFollowed = false, primary }: Launching = {}): Promise<OwnPostgresServer> {
  const bin = programs;
  if (bin === undefined) throw new Error("postgres not installed");
  const folder = mkdtempSync(join(tmpdir(), "argosy-postgres-"));
  const data = join(folder, "data");
  // A standby has its primary's users.
  const password = primary === undefined ? crypto.randomUUID() : new URL(primary.url).password;
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (isRoot) for (const path of [folder, passwordFile]) chownSync(path, nobody, nobody);
  startJanitor(folder, data);

  const access = ["-U", "argosy", "-A", "scram-sha-256", "--pwfile", passwordFile];
  const init = [join(bin, "initdb"), "-D", data, "--no-sync", "-E", "UTF8", "--locale=C.UTF-8", ...access];
  if (primary === undefined) {
    const made = Bun.spawnSync([...asUser, ...init], { cwd: folder });
    if (!made.success) throw new Error(`initdb failed: ${made.stderr.toString()}`);
  } else await primary.copyTo(data);

  const port = freePort();
  const url = `postgres://argosy:${password}@127.0.0.1:${port}/postgres`;
  // Data lives as long as the tests: nothing needs to reach the disk, and no database grows old enough to be vacuumed.
  const settings = [
    "fsync=off",
    "full_page_writes=off",
    ...(canBeFollowed ? ["wal_level=replica"] : ["wal_level=minimal", "max_wal_senders=0"]),
    ...(primary === undefined ? [] : [`primary_conninfo=${primary.url}`]),
    "max_wal_size=4GB",
    "autovacuum=off",
    "max_connections=300",
  ].flatMap((setting) => ["-c", setting]);
  const run = [
    join(bin, "postgres"),
    "-D",
    data,
    "-p",
    String(port),
    "-h",
    "127.0.0.1",
    "-k",
    folder,
    ...settings,
  ];
  let server: Bun.Subprocess | undefined;

  const start = async () => {
    server = Bun.spawn([...asUser, ...run], { cwd: folder, stdout: "ignore", stderr: "ignore" });
    server.unref();
    await answering(url, server);
  };
  const crash = () => stop("SIGQUIT");
  const stop = async (signal: "SIGQUIT" | "SIGINT") => {
    server?.kill(signal);
    await server?.exited;
  };
  await start();
  // The postmaster first: a backend that it starts meanwhile would keep running.
  const signalAll = (signal: "SIGSTOP" | "SIGCONT") => {
    if (server === undefined) return;
    process.kill(server.pid, signal);
    for (const pid of childrenOf(server.pid)) {
      try {
        process.kill(pid, signal);
      } catch {
        // It ended meanwhile.
      }
    }
  };

  return {
    ...serverAt(url),
    crash,
    start,
    async demote() {
      await crash();
      writeFileSync(join(data, "standby.signal"), "");
      await start();
    },
    async copyTo(copy) {
      await stop("SIGINT");
      Bun.spawnSync(["cp", "-a", data, copy]);
      writeFileSync(join(copy, "standby.signal"), "");
      await start();
    },
    freeze: () => signalAll("SIGSTOP"),
    thaw: () => signalAll("SIGCONT"),
  };
}

/** `setpriv` becomes the server, so the spawned process is the postmaster. */
function childrenOf(pid: number): number[] {
  const { stdout } = Bun.spawnSync(["pgrep", "-P", String(pid)]);
  return stdout.toString().split("\n").filter(Boolean).map(Number);
}

/** Stops the server and removes its folder when this process ends for any reason: its standard input closes then. */
function startJanitor(folder: string, data: string): void {
  const script = `cat
    read pid < "$2/postmaster.pid" && kill -CONT "$pid" $(pgrep -P "$pid"); kill -QUIT "$pid"
    until rm -rf "$1" && ! test -e "$1"; do sleep 0.05; done`;
  const janitor = Bun.spawn(["sh", "-c", script, "janitor", folder, data], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
    detached: true,
  });
  janitor.unref();
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
