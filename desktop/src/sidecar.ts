import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { ApprovalList } from "../../src/contracts/daemon/runs/approvals.ts";

/** Calls `fire` once after `ms`; the returned function cancels it. */
export type Timer = (ms: number, fire: () => void) => () => void;

export interface SidecarOptions {
  /** The executable `argosy`, with arguments that come first if it is run from source. */
  command: readonly [string, ...string[]];
  workspace: string;
  /** The whole environment of the server, except its token. */
  environment: Readonly<Record<string, string>>;
  /** Receives the server's log. The log of the start before is kept beside it. */
  logFile: string;
  timer: Timer;
  /** A fixed port and key, so that other apps can use the server; by default a free port, and a new key at each start. */
  server?: { port: number; key: string };
  /** Time from the start to the first answer, in ms. */
  readyMs?: number;
  /** Gives the start up. */
  signal?: AbortSignal;
}

/** A call that waits for a person. */
export interface WaitingCall {
  id: string;
  agent: string;
  tool: string;
}

/** The server that the app shows. */
export interface Sidecar {
  /** False if another program has started it, and stops it. */
  isOwn: boolean;
  /** Origin of the console's pages. */
  origin: string;
  /** Lists the calls that wait for approval. */
  waiting(signal: AbortSignal): Promise<readonly WaitingCall[]>;
  /** Returns a link that opens the console once as this machine's owner. */
  link(): Promise<string>;
  /** Resolves when the server has ended, for whatever reason. */
  ended: Promise<Ending>;
  /** Stops the server gracefully; kills it after 5 s. */
  stop(): Promise<void>;
}

/** A server that the app has started. */
export interface OwnSidecar extends Sidecar {
  pid: number;
  /** URL of a service; undefined if it does not run. */
  urlOf(service: string): string | undefined;
  /** API token of the daemon. */
  token: string;
}

export interface Ending {
  /** True if `stop` ended it. */
  wanted: boolean;
  /** How it ended: "exit code 1", "signal SIGKILL". */
  how: string;
}

/** A server or command that failed, with what to do. */
export class SidecarError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Returns the parts of a dialog that tells of a failure. */
export function describe(thrown: unknown): { message: string; detail?: string } {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const hint = thrown instanceof SidecarError ? thrown.hint : undefined;
  return { message: thrown.message, ...(hint === undefined ? {} : { detail: hint }) };
}

const killAfterMs = 5_000;
const pollMs = 100;
const commandMs = 30_000;
const outputMax = 1_000_000;

/** Starts the server of a workspace, and resolves when it answers. Rejects with SidecarError if it doesn't. */
export async function startSidecar(options: SidecarOptions): Promise<OwnSidecar> {
  const { command, workspace, timer, server, readyMs = 60_000, signal } = options;
  const token = server?.key ?? newKey();
  // Any program and any user of this machine can reach the port.
  const access = { PLATFORM_API_TOKEN: token, ARGOSY_REQUIRE_TOKEN: "true" };
  const environment = { ...options.environment, ...(server && otherPorts), ...access };
  const log = openLog(options.logFile);
  const [program, ...first] = command;
  const child = spawn(
    program,
    [
      ...first,
      "serve",
      "--json",
      "--port",
      String(server?.port ?? 0),
      "--stop-with-stdin",
      "--workspace",
      workspace,
    ],
    // Its own stdin pipe: the server stops when this process dies and the pipe closes.
    { env: environment, stdio: ["pipe", "pipe", log], windowsHide: true },
  );
  closeSync(log);
  // The server closes the pipe when it ends.
  child.stdin?.on("error", () => undefined);
  let wanted = false;
  // Not "close": a tool's process may hold the pipes longer.
  const ended = endOf(child, "exit").then((how): Ending => ({ wanted, how }));
  const stop = async () => {
    wanted = true;
    child.stdin?.end();
    // On Windows this signal ends a process at once; the end of stdin stops it gracefully.
    if (process.platform !== "win32") child.kill("SIGTERM");
    const cancel = timer(killAfterMs, () => void child.kill("SIGKILL"));
    await ended;
    cancel();
  };
  const late = Promise.withResolvers<never>();
  const cancel = timer(readyMs, () => {
    late.reject(
      new SidecarError(`Argosy did not start within ${readyMs / 1000} s.`, "The log shows how far it came."),
    );
  });
  const giveUp = () => late.reject(new SidecarError("The start was given up."));
  signal?.addEventListener("abort", giveUp);
  try {
    const services = await Promise.race([readReady(child), late.promise]);
    const urlOf = (service: string) => services.find(({ name }) => name === service)?.url;
    const origins = services.map(({ url }) => new URL(url).origin);
    const [origin = ""] = origins;
    await Promise.race([answers(origin, timer, ended), late.promise]);
    return {
      isOwn: true,
      pid: child.pid ?? 0,
      origin,
      urlOf,
      async waiting(signal) {
        const daemonUrl = urlOf("daemon");
        if (daemonUrl === undefined) return [];
        const answer = await fetch(`${daemonUrl}/v1/approvals?status=pending&limit=200`, {
          headers: { authorization: `Bearer ${token}` },
          signal,
        });
        if (!answer.ok) throw new SidecarError(`The approvals could not be read: status ${answer.status}.`);
        return ((await answer.json()) as ApprovalList).approvals;
      },
      token,
      async link() {
        const args = ["console", "--json", "--workspace", workspace];
        const { url } = await runCommand({ command, environment, timer }, args);
        if (typeof url !== "string" || !origins.includes(URL.parse(url)?.origin ?? ""))
          throw new SidecarError(
            "The link to the console belongs to another server.",
            "Stop the other server of this workspace.",
          );
        return url;
      },
      ended,
      stop,
    };
  } catch (thrown) {
    await stop();
    throw thrown;
  } finally {
    cancel();
    signal?.removeEventListener("abort", giveUp);
  }
}

/** Returns a key that nobody guesses. */
export const newKey = (): string => randomBytes(32).toString("base64url");

/** The fixed port is the daemon's; the other services keep taking free ones. */
const otherPorts = Object.fromEntries(
  ["PLATFORM", "GATEWAY", "CLOUD", "TRANSLATOR"].map((name) => [`ARGOSY_${name}_PORT`, "0"]),
);

export interface CommandParts {
  command: readonly [string, ...string[]];
  environment: Readonly<Record<string, string>>;
  timer: Timer;
}

/** Runs one command of the executable. Returns its JSON document, or throws SidecarError with the error that it reports. */
export async function runCommand(
  { command: [program, ...first], environment, timer }: CommandParts,
  args: readonly string[],
): Promise<Record<string, unknown>> {
  const child = spawn(program, [...first, ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true,
  });
  const cancel = timer(commandMs, () => void child.kill("SIGKILL"));
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(0, outputMax);
  });
  const how = await endOf(child, "close");
  cancel();
  const document = parsed(text);
  if (document === undefined) throw new SidecarError(`\`argosy ${args[0]}\` failed: ${how}.`);
  throwReported(document);
  return document;
}

/** Variables that programs need on any system. A provider's key is none of them. */
const passed =
  /^(PATH|PATHEXT|HOME|USER|USERNAME|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|HTTPS?_PROXY|NO_PROXY|SSL_CERT_FILE|SSL_CERT_DIR)$/i;

/** Returns the environment of the server: what any program needs, and the variables that the person has named. */
export function minimalEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && (passed.test(name) || named.includes(name)) ? [[name, value]] : [],
    ),
  );
}

interface Service {
  name: string;
  url: string;
}

/** Returns the services of the ready line. Rejects with what the server reports instead. */
function readReady(child: ChildProcess): Promise<Service[]> {
  let text = "";
  return new Promise((resolve, reject) => {
    const read = () => {
      const document = parsed(text);
      if (document === undefined) return;
      try {
        throwReported(document);
        if (!isReady(document)) throw new SidecarError("Argosy started without a service.");
        resolve(document.services);
      } catch (thrown) {
        reject(thrown);
      }
    };
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      if (text.length > outputMax) return;
      text += chunk;
      read();
    });
    void endOf(child, "close").then((how) => {
      reject(new SidecarError(`Argosy ended before it was ready: ${how}.`, "The log shows the reason."));
    });
  });
}

const isReady = (document: Record<string, unknown>): document is { services: Service[] } =>
  Array.isArray(document.services) &&
  document.services.length > 0 &&
  document.services.every(({ name, url }) => typeof name === "string" && URL.canParse(url));

/** Polls until the server answers. The process's end rejects. */
async function answers(origin: string, timer: Timer, ended: Promise<Ending>): Promise<void> {
  const end = new AbortController();
  let how: string | undefined;
  void ended.then((ending) => {
    how = ending.how;
    end.abort();
  });
  while (how === undefined) {
    const { ok } = await fetch(`${origin}/healthz`, { signal: end.signal }).catch(() => ({ ok: false }));
    if (ok) return;
    await new Promise<void>((resolve) => timer(pollMs, resolve));
  }
  throw new SidecarError(`Argosy ended before it was ready: ${how}.`, "The log shows the reason.");
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function throwReported({ error, message, hint }: Record<string, unknown>): void {
  if (error === undefined) return;
  throw new SidecarError(String(message ?? error), typeof hint === "string" ? hint : undefined);
}

/** Resolves when the process has ended, with "close" after its output; also if it could not be started. */
function endOf(child: ChildProcess, event: "exit" | "close"): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (fault) => resolve(`it could not be started (${fault.message})`));
    child.once(event, (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  try {
    renameSync(path, `${path}.1`);
  } catch {
    // The first start has no log yet.
  }
  return openSync(path, "w", 0o600);
}
