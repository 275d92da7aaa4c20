import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfig } from "../../src/compose/load-config.ts";
import type { Config } from "../../src/compose/settings/config.ts";
import { type RunningArgosy, startArgosy } from "../../src/compose/start.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { createLogger } from "../../src/kit/log.ts";
import { LogRing } from "../../src/kit/log-ring.ts";
import { controlSocketPath } from "../../src/storage/files/data-folder.ts";
import { FakeClock } from "./fake-clock.ts";
import { type ModelScript, type ModelServer, startModelServer } from "./model-server.ts";
import { socketTurns } from "./socket-turns.ts";
import { temporaryFolder } from "./temp-folder.ts";

export interface DaemonOptions<Provider extends string = "lab"> {
  /** Start time of the clock. */
  startAt?: string;
  /** Agent files by path below `agents/`; by default one agent, `helper`. */
  agents?: Record<string, string>;
  /** One model server for each provider; by default `lab`, which always answers "Hello there.". */
  models?: Record<Provider, ModelScript>;
  /** Text of runtime.yaml. */
  runtime?: string;
  /** True if every call has `ownerHeaders`, which make the caller the machine's owner. */
  ownersToken?: boolean;
  /** Final change of the configuration, instead of flags and environment. */
  configure?: (config: Config) => Config;
  /** A folder that outlives the daemon, to start another with its data; a temporary one by default. */
  workspace?: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The text as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
}

export interface CallOptions {
  /** A text or bytes are sent unchanged, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A daemon on a free loopback port, with SQLite in a temporary workspace, a clock that does not move and scripted models. */
export interface TestDaemon<Provider extends string = "lab"> extends AsyncDisposable {
  url: string;
  port: number;
  workspace: string;
  config: Config;
  clock: FakeClock;
  models: Record<Provider, ModelServer>;
  /** Calls over the open port, as a client other than the machine's owner. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Calls over the control socket, as the machine's owner. */
  asOwner(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Runs an agent and returns the response. */
  run(agent: string, body: unknown, options?: CallOptions): Promise<Answer>;
  /** Writes an agent file, or any file below `agents/`. */
  writeAgent(path: string, text: string): void;
  /** Returns the log so far, one line per element. */
  logLines(): string[];
  /** Stops it while the clock stands still: never ends when anything is given time. */
  stop(): Promise<void>;
}

/** Starts a daemon without other services. At the end of the `await using` block, it stops and its workspace is removed. */
export async function startDaemon<Provider extends string = "lab">(
  options: DaemonOptions<Provider> = {},
): Promise<TestDaemon<Provider>> {
  await using held = new AsyncDisposableStack();
  const workspace = options.workspace ?? held.use(temporaryFolder()).path;
  const writeAgent = (path: string, text: string) => writeText(join(workspace, "agents", path), text);
  const scripts: Record<string, ModelScript> = options.models ?? { lab: [{ text: "Hello there." }] };
  const models: Record<string, ModelServer> = {};
  for (const [name, script] of Object.entries(scripts)) {
    models[name] = held.adopt(await startModelServer(script), (server) => server.stop());
  }
  writeText(join(workspace, "providers.yaml"), providersFile(models));
  if (options.runtime !== undefined) writeText(join(workspace, "runtime.yaml"), options.runtime);
  const agents = options.agents ?? { "helper.agent.yaml": agentFile("helper") };
  for (const [path, text] of Object.entries(agents)) writeAgent(path, text);

  const clock = new FakeClock(options.startAt);
  const isolated = isolatedConfig(workspace);
  const configured = options.configure?.(isolated) ?? isolated;
  const config = options.ownersToken === true ? trustingToken(configured) : configured;
  let logText = "";
  const ring = new LogRing();
  const log = createLogger({
    ring,
    level: "debug",
    format: "json",
    write: (lines) => {
      logText += lines;
    },
    secrets: config.knownSecrets,
    clock,
  });
  let isStopped = false;
  const running = held.adopt(await startArgosy(config, { log, ring, clock }), async (argosy) => {
    if (!isStopped) await stopNow(argosy, clock);
  });
  const url = running.services[0]?.url ?? "";
  const ending = held.move();

  const callAt =
    (base: string, unix?: string) =>
    async (method: string, path: string, { body, headers = {}, signal }: CallOptions = {}) => {
      const sent = body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) };
      const usual = options.ownersToken === true ? ownerHeaders : {};
      const way = { ...(signal && { signal }), ...(unix !== undefined && { unix }) };
      return answerOf(
        await serviceFetch(`${base}${path}`, { method, headers: { ...usual, ...headers }, ...sent, ...way }),
      );
    };
  const call = callAt(url);
  return {
    url,
    port: Number(new URL(url).port),
    workspace,
    config,
    clock,
    models: models as Record<Provider, ModelServer>,
    call,
    asOwner: callAt("http://localhost", controlSocketPath(config.dataFolder)),
    run: (agent, body, more) => call("POST", `/v1/agents/${agent}/run`, { body, ...more }),
    writeAgent,
    logLines() {
      log.flush();
      return logText.split("\n").filter((line) => line !== "");
    },
    async stop() {
      await running.stop();
      isStopped = true;
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** Returns the configuration of a workspace without this machine's environment and model servers. */
function isolatedConfig(workspace: string): Config {
  const config = loadConfig({ workspace, port: "0", services: "daemon" });
  return {
    ...config,
    access: { allowedHosts: [], insecureOpen: false },
    models: { autoConfigure: false, rehearse: false },
    variable: () => undefined,
  };
}

const ownersToken = "a-token-that-the-owner-of-this-machine-has";

/** Headers with the API token, if its holders count as owners. */
export const ownerHeaders = { authorization: `Bearer ${ownersToken}` };

function trustingToken(config: Config): Config {
  const { spec } = config.runtime;
  const agents = { ...spec.agents, trusted_senders: "token" as const };
  return {
    ...config,
    access: { ...config.access, apiToken: ownersToken },
    runtime: { ...config.runtime, spec: { ...spec, agents } },
  };
}

/** More turns than ten seconds of work need: a model's answer, its processing, and the outgoing message. */
const turnsOfSecond = 8;

/** Stops at once: advances the clock past the grace period, so that the test does not wait for it. */
export async function stopNow(running: RunningArgosy, clock: FakeClock): Promise<void> {
  let isStopped = false;
  const stopped = running.stop().finally(() => {
    isStopped = true;
  });
  while (!isStopped) {
    // Work on real sockets gets its turns before the time limit expires.
    await Promise.race([stopped, socketTurns(turnsOfSecond)]);
    if (!isStopped) await clock.advance(1000);
  }
  await stopped;
}

/** Returns the text of an agent file: JSON is YAML. By default it calls `lab/test-model`. */
export function agentFile(name: string, spec: Record<string, unknown> = {}): string {
  return JSON.stringify({
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name },
    spec: { model: { primary: { provider: "lab", model: "test-model" } }, ...spec },
  });
}

/** Reads a response's body. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function providersFile(models: Record<string, ModelServer>): string {
  const entries = Object.entries(models).map(([name, { url }]) => [name, { type: "vllm", endpoint: url }]);
  return JSON.stringify({ providers: Object.fromEntries(entries) });
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === "string" || body instanceof Uint8Array;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
