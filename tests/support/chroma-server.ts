import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { temporaryFolder } from "./temp-folder.ts";

/** A real Chroma server, from the package next to this file. */
export interface ChromaServer {
  url: string;
  /** Kills it; `start` restarts it on the same port with its data. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Kills it and removes its data. */
  stop(): Promise<void>;
}

/** Written when the installation has completed. */
const stamp = join(import.meta.dir, "chroma/node_modules/.argosy-lock");
const program = join(import.meta.dir, "chroma/node_modules/chromadb/dist/cli.mjs");

/** Why suites that need Chroma are skipped; undefined if they can run. */
export const chromaMissing = missing();

function missing(): string | undefined {
  if (Bun.which("node") === null) return "node not installed";
  return existsSync(stamp) ? undefined : "chroma not installed; scripts/testing/install-chroma does it";
}

export async function startChromaServer(): Promise<ChromaServer> {
  const folder = temporaryFolder();
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  let server: Bun.Subprocess<"pipe", "ignore", "ignore"> | undefined;

  const start = async () => {
    // It ends with its standard input, so also if this process is killed.
    const script = '"$@" & server=$!; cat > /dev/null; kill -9 $server';
    const run = [
      "node",
      program,
      "run",
      "--path",
      folder.path,
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
    ];
    server = Bun.spawn(["sh", "-c", script, "chroma", ...run], {
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      cwd: folder.path,
    });
    await answering(`${url}/api/v2/heartbeat`, server);
  };
  const crash = async () => {
    await server?.stdin.end();
    await server?.exited;
  };
  await start();
  return {
    url,
    crash,
    start,
    async stop() {
      await crash();
      folder[Symbol.dispose]();
    },
  };
}

async function answering(url: string, server: Bun.Subprocess): Promise<void> {
  while (server.exitCode === null) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await Bun.sleep(20);
  }
  throw new Error("The Chroma server stopped while starting.");
}
