import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { treeCpuMs } from "./process-stats.ts";
import { portVariables, question } from "./workload.ts";

const root = join(import.meta.dir, "../..");
const built = join(root, "dist/argosy");

/** Returns the command of the executable, or of the source if nothing is built, which costs more memory and a slower start. */
export function argosyCommand(): string[] {
  if (existsSync(built)) return [built];
  console.error(
    "dist/argosy is missing: measuring from source. Run scripts/build for the figures of the executable.",
  );
  return [process.execPath, join(root, "src/main.ts")];
}

/** A new folder with these files, given as values that are written as JSON or as texts. It is removed when it is disposed. */
export function temporaryWorkspace(files: Record<string, unknown> = {}): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "argosy-bench-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(path, name, ".."), { recursive: true });
    writeFileSync(join(path, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts a program of this folder, such as the model server, and returns with the first line that it prints. */
export async function startBeside(
  file: string,
  args: readonly string[] = [],
): Promise<AsyncDisposable & { pid: number; line: string }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, file), ...args], {
    env: { ...process.env, ...portVariables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { value } = await child.stdout.getReader().read();
  if (value === undefined) throw new Error(`${file} ended before it listened.`);
  return {
    pid: child.pid,
    line: new TextDecoder().decode(value).trim(),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** The model server of the workload; see mock-model.ts. */
export const startModel = () => startBeside("mock-model.ts");

/** A running Argosy. */
export interface Argosy extends AsyncDisposable {
  pid: number;
  /** Milliseconds from the start until it listened. */
  listeningMs: number;
  urlOf(service: string): string;
}

/** Starts Argosy with these services, which are separated by commas, on free ports; `serve --json` names them when they listen. */
export async function startArgosy(
  workspace: string,
  services: string,
  env: Record<string, string> = {},
  command: readonly string[] = argosyCommand(),
): Promise<Argosy> {
  const startedMs = performance.now();
  const child = Bun.spawn([...command, "serve", "--json", "--services", services], {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      HOME: workspace,
      PLATFORM_PORT: "0",
      ARGOSY_PLATFORM_PORT: "0",
      ARGOSY_GATEWAY_PORT: "0",
      ARGOSY_CLOUD_PORT: "0",
      ARGOSY_TRANSLATOR_PORT: "0",
      PLATFORM_AUTO_CONFIG: "false",
      PLATFORM_LOG_LEVEL: "warning",
      ...env,
    },
    stdio: ["ignore", "pipe", process.env.BENCH_LOG === undefined ? "ignore" : "inherit"],
  });
  const { value } = await child.stdout.getReader().read();
  if (value === undefined) throw new Error("Argosy ended before it listened. BENCH_LOG=1 shows its log.");
  const listening = JSON.parse(new TextDecoder().decode(value)) as {
    services: { name: string; url: string }[];
  };
  return {
    pid: child.pid,
    listeningMs: performance.now() - startedMs,
    urlOf: (service) =>
      (listening.services.find(({ name }) => name === service)?.url ?? "").replace(/\/$/, ""),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

/** Where runs are sent: the address of an agent's runs, and who asks. */
export interface Asked {
  url: string;
  headers?: Record<string, string>;
}

/** Sends `total` runs, some at once, in sessions of ten turns. Returns the CPU time of the process and its children for each run, in ms. */
export async function cpuPerRun(
  pid: number,
  { url, headers = {} }: Asked,
  total: number,
  tag: string,
  atOnce = 16,
): Promise<number> {
  const before = treeCpuMs(pid);
  let sent = 0;
  const asking = async () => {
    for (let turn = sent++; turn < total; turn = sent++) {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({
          query: question,
          session_id: `${tag}-${Math.floor(turn / 10)}`,
          context: { office: "Lima" },
        }),
      });
      const text = await answer.text();
      // On a loaded machine, the child that renders tenants' templates may be late.
      if (answer.status === 422 && text.includes("template_failed")) sent--;
      else if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, asking));
  return (treeCpuMs(pid) - before) / total;
}

/** Measures both sides in turns after a warm-up. Returns the CPU time of each run in every round, in ms. */
export async function inTurns(
  pid: number,
  sides: { one: Asked; other: Asked },
  { runs, rounds }: { runs: number; rounds: number },
  tag = "t",
): Promise<{ one: number; other: number }[]> {
  const figures: { one: number; other: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const one = await cpuPerRun(pid, sides.one, runs, `${tag}-one-${round}`);
    const other = await cpuPerRun(pid, sides.other, runs, `${tag}-other-${round}`);
    if (round > 0) figures.push({ one, other });
  }
  return figures;
}
