import { chownSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";

/** A private PostgreSQL server for this test process: started at the first call, removed when the process ends. */
export interface PostgresServer {
  /** Returns the URL of a new, empty database, in a language's collation rather than C's: Argosy's own order must not depend on it. */
  createDatabase(): Promise<string>;
  /** The URL of a new copy of the database at `url`, which nothing may be connected to. */
  copyDatabase(url: string): Promise<string>;
  /** Stops the server as a crash would; `start` brings it back on the same port with its data. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Suspends the server and all its backends, with their connections; `thaw` resumes them. */
  freeze(): void;
  thaw(): void;
}

const programs = findPrograms();

/** Why the suites that need PostgreSQL are skipped; undefined if they can run. */
export const postgresMissing = programs === undefined ? "postgres not installed" : undefined;

let shared: Promise<PostgresServer> | undefined;

export function postgresServer(): Promise<PostgresServer> {
  shared ??= launch();
  return shared;
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

async function launch(): Promise<PostgresServer> {
  const bin = programs;
  if (bin === undefined) throw new Error("postgres not installed");
  const folder = mkdtempSync(join(tmpdir(), "argosy-postgres-"));
  const data = join(folder, "data");
  const password = crypto.randomUUID();
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (isRoot) for (const path of [folder, passwordFile]) chownSync(path, nobody, nobody);
  startJanitor(folder, data);

  const access = ["-U", "argosy", "-A", "scram-sha-256", "--pwfile", passwordFile];
  const init = [join(bin, "initdb"), "-D", data, "--no-sync", "-E", "UTF8", "--locale=C.UTF-8", ...access];
  const made = Bun.spawnSync([...asUser, ...init], { cwd: folder });
  if (!made.success) throw new Error(`initdb failed: ${made.stderr.toString()}`);

  const port = freePort();
  const url = (database: string) => `postgres://argosy:${password}@127.0.0.1:${port}/${database}`;
  const settings = ["fsync=off", "full_page_writes=off", "max_connections=60"].flatMap((setting) => [
    "-c",
    setting,
  ]);
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
    await answering(url("postgres"), server);
  };
  const crash = async () => {
    server?.kill("SIGQUIT");
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

  let databases = 0;
  const makeDatabase = async (from: string) => {
    databases += 1;
    const name = `test_${databases}`;
    await using admin = new SQL(url("postgres"), { max: 1 });
    await admin.unsafe(`create database ${name} template ${from}`);
    return url(name);
  };
  return {
    createDatabase: () => makeDatabase("template0 locale_provider icu icu_locale 'en-US'"),
    copyDatabase: (original) => makeDatabase(new URL(original).pathname.slice(1)),
    crash,
    start,
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

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
