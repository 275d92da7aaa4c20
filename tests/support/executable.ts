import { test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { services } from "../../src/compose/services.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { type Answer, answerOf, type CallOptions } from "./daemon.ts";
import { readToEnd } from "./read-to-end.ts";
import { shownPages } from "./shown-pages.ts";

/** The executable that `scripts/build` creates; it runs without the source tree. */
export const executable = join(import.meta.dir, "../../dist/argosy");

export const executableBuilt = existsSync(executable);

const executableMissing = executableBuilt ? undefined : "dist/argosy is not built";

/** A test of the executable. It is skipped, with the reason in its name, if the executable or a requirement in `needs` is missing. */
export function executableTest(
  name: string,
  body: () => Promise<void>,
  ...needs: readonly (string | undefined)[]
): void {
  const missing = [executableMissing, ...needs].filter((reason) => reason !== undefined);
  if (missing.length === 0) test(name, () => tellingPages(body));
  else test.skip(`${name} (${missing.join(", ")})`, body);
}

/** Performs a test. If it fails, its error also says what the pages show that it has open in a browser. */
async function tellingPages(body: () => Promise<void>): Promise<void> {
  shownPages.begin();
  try {
    await body();
  } catch (thrown) {
    if (thrown instanceof Error) thrown.message += await shownPages.describe();
    throw thrown;
  }
}

/** Variables of a process; this process's environment is not inherited. */
export type Environment = Readonly<Record<string, string>>;

/** Enough to start in a workspace that a test made, without model servers that may run on this machine. */
const minimalEnvironment: Environment = {
  PATH: "/usr/bin:/bin",
  PLATFORM_AUTO_CONFIG: "false",
  ARGOSY_TRUST: "true",
};

export interface CommandOptions {
  env?: Environment;
  /** Text for its standard input, which then ends; empty by default. */
  stdin?: string;
  /** Another copy of the executable. */
  program?: string;
}

export interface Ended {
  /** 128 plus the signal's number if a signal ended it. */
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of the executable in `folder` to its end. */
export async function argosy(
  folder: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  const child = Bun.spawn([options.program ?? executable, ...args], {
    cwd: folder,
    env: { ...minimalEnvironment, ...options.env },
    stdin: new Blob([options.stdin ?? ""]),
    stdout: "pipe",
    stderr: "pipe",
  });
  return readToEnd(child);
}

interface Turn {
  role: string;
  content: string;
}

/** One line of the log. */
export type LogLine = Record<string, unknown> & { event: string };

/** `argosy serve` as a process; killed at the end of the `await using` block if it still runs. */
export interface ServerProcess extends AsyncDisposable {
  /** URL of the daemon if it is among the services, otherwise of the first service; without a final slash. */
  url: string;
  urlOf(service: string): string;
  port: number;
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** 128 plus the signal's number if a signal ended it. */
  exited: Promise<number>;
  /** Returns its stderr so far. */
  stderr(): string;
  /** Returns the first log line with this event, once it exists; rejects if the process ends without one. */
  logged(event: string): Promise<LogLine>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  run(agent: string, query: string, session?: string): Promise<Answer>;
  /** Returns a session's memory, each turn as `role: text`. */
  history(agent: string, session: string): Promise<string[]>;
}

export interface ServerOptions {
  args?: readonly string[];
  /** The daemon only, by default; an empty list: those that the settings name. */
  services?: readonly string[];
  env?: Environment;
  tls?: { ca: string };
  /** Another copy of the executable. */
  program?: string;
}

/** Settings by which each service takes any free port. */
export const freePorts = Object.fromEntries(services.map(({ portVariables: [variable] }) => [variable, "0"]));

/** Starts a server on any free port over the workspace `folder` and waits until it is ready. */
export async function startServer(folder: string, options: ServerOptions = {}): Promise<ServerProcess> {
  const { args = [], services = ["daemon"], env = {}, tls, program = executable } = options;
  const only = services.length === 0 ? [] : ["--services", services.join(",")];
  const child = Bun.spawn([program, "serve", "--json", ...only, ...args], {
    cwd: folder,
    env: { ...minimalEnvironment, ...freePorts, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = collectLog(child);
  const ready = await firstLine(child.stdout);
  if (ready === undefined || !("services" in ready)) {
    child.kill("SIGKILL");
    throw new Error(`The server did not start: ${JSON.stringify(ready)}\n${log.text()}`);
  }
  const url = ready.services[0]?.url ?? "";
  const call = async (method: string, path: string, { body, headers, signal }: CallOptions = {}) =>
    answerOf(
      await serviceFetch(`${url}${path}`, {
        method,
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        ...(headers === undefined ? {} : { headers }),
        ...(signal === undefined ? {} : { signal }),
        ...(tls === undefined ? {} : { tls }),
      }),
    );
  return {
    url,
    urlOf: (service) => ready.services.find(({ name }) => name === service)?.url ?? "",
    port: Number(new URL(url).port),
    pid: child.pid,
    kill: (signal) => child.kill(signal),
    exited: child.exited,
    stderr: log.text,
    logged: log.logged,
    call,
    run: (agent, query, session) =>
      call("POST", `/v1/agents/${agent}/run`, {
        body: { query, ...(session === undefined ? {} : { session_id: session }) },
      }),
    async history(agent, session) {
      const { body } = await call("GET", `/v1/memory/${agent}/history/${session}`);
      return body.messages.map(({ role, content }: Turn) => `${role}: ${content}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

type ServeAnswer = { services: { name: string; url: string }[] } | { error: string; message: string };

/** Returns the first JSON document of a stream, which may be a multi-line error; the rest is read and dropped. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<ServeAnswer | undefined> {
  const found = Promise.withResolvers<ServeAnswer | undefined>();
  const read = async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      try {
        found.resolve(JSON.parse(text));
      } catch {
        // The document is not complete yet.
      }
    }
    found.resolve(undefined);
  };
  read().catch(found.reject);
  return found.promise;
}

function collectLog(child: Subprocess<"ignore", "pipe", "pipe">) {
  let text = "";
  let ended = false;
  const waiting = new Set<() => void>();
  const findLine = (event: string): LogLine | undefined =>
    text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line.includes(`"event":"${event}"`))
      .map((line): LogLine => JSON.parse(line))[0];
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      text += decoder.decode(chunk, { stream: true });
      for (const look of waiting) look();
    }
    ended = true;
    for (const look of waiting) look();
  };
  void read();
  return {
    text: () => text,
    logged: (event: string) =>
      new Promise<LogLine>((resolve, reject) => {
        const look = () => {
          const line = findLine(event);
          if (line === undefined && !ended) return;
          waiting.delete(look);
          if (line !== undefined) resolve(line);
          else reject(new Error(`The server ended without logging ${event}:\n${text}`));
        };
        waiting.add(look);
        look();
      }),
  };
}
