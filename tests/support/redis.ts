import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClient } from "bun";
import { freePort } from "./free-port.ts";

/** A private Redis server for this test process: started at the first call, removed when the process ends. */
export interface RedisServer {
  port: number;
  /** Returns the URL of an empty database of its own. */
  createDatabase(): string;
  /** Stops the server like a crash; `start` restarts it on the same port with all acknowledged data. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Suspends the server with its connections; `thaw` resumes it. */
  freeze(): void;
  thaw(): void;
}

const program = Bun.which("redis-server");

/** Why the suites that need Redis are skipped; undefined if they can run. */
export const redisMissing = program === null ? "redis-server not installed" : undefined;

let shared: Promise<RedisServer> | undefined;

export function redisServer(): Promise<RedisServer> {
  shared ??= launch();
  return shared;
}

async function launch(): Promise<RedisServer> {
  if (program === null) throw new Error("redis-server not installed");
  const folder = mkdtempSync(join(tmpdir(), "argosy-redis-"));
  const port = freePort();
  startJanitor(folder);
  let server: Bun.Subprocess | undefined;
  const start = async () => {
    const settings = {
      port: String(port),
      bind: "127.0.0.1",
      dir: folder,
      pidfile: join(folder, "pid"),
      databases: "1000",
      save: "",
      appendonly: "yes",
      appendfsync: "always",
    };
    const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    server = Bun.spawn([program, ...options], { stdout: "ignore", stderr: "ignore" });
    server.unref();
    // A server that is not a daemon writes no pid file.
    await Bun.write(join(folder, "pid"), `${server.pid}\n`);
    await answering(`redis://127.0.0.1:${port}`, server);
  };
  await start();
  let databases = 0;
  return {
    port,
    createDatabase: () => `redis://127.0.0.1:${port}/${++databases}`,
    start,
    async crash() {
      server?.kill("SIGKILL");
      await server?.exited;
    },
    freeze: () => server?.kill("SIGSTOP"),
    thaw: () => server?.kill("SIGCONT"),
  };
}

/** Stops the server and removes its folder when this process ends for any reason: its standard input closes then. */
function startJanitor(folder: string): void {
  const script = `cat
    read pid < "$1/pid" && kill -CONT "$pid" && kill -KILL "$pid"
    until rm -rf "$1" && ! test -e "$1"; do sleep 0.05; done`;
  const janitor = Bun.spawn(["sh", "-c", script, "janitor", folder], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
    detached: true,
  });
  janitor.unref();
}

async function answering(url: string, server: Bun.Subprocess): Promise<void> {
  while (server.exitCode === null) {
    const probe = new RedisClient(url, { autoReconnect: false, enableOfflineQueue: false });
    const up = await probe
      .connect()
      .then(() => probe.send("PING", []))
      .then(
        () => true,
        () => false,
      );
    probe.close();
    if (up) return;
  }
  throw new Error("The Redis server stopped while starting.");
}
