import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assembleArgosy } from "../../src/compose/assemble.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import type { Config } from "../../src/compose/settings/config.ts";
import type { RuntimeClient, RuntimeFrame } from "../../src/contracts/runtime/client.ts";
import { runtimeClient } from "../../src/contracts/runtime/http-client.ts";
import type { RunEnded, RuntimeRun } from "../../src/contracts/runtime/runs.ts";
import { listen } from "../../src/http/listen.ts";
import type { Problem } from "../../src/kit/app-error.ts";
import { createLogger } from "../../src/kit/log.ts";
import { FakeClock } from "./fake-clock.ts";
import { type ModelScript, type ModelServer, startModelServer } from "./model-server.ts";
import { temporaryFolder } from "./temp-folder.ts";

/** Transports between a control plane and the runtime. */
export const transports = ["in process", "over the network"] as const;
export type Transport = (typeof transports)[number];

export interface TenantRuntimeOptions {
  transport?: Transport;
  /** The answers of the operator's server `lab`. */
  script?: ModelScript;
  /** `spec` of runtime.yaml. */
  runtime?: Record<string, unknown>;
  /** The operator's variables. */
  variables?: Record<string, string>;
  /** Files of the workspace. */
  files?: Record<string, string>;
  configure?: (config: Config) => Config;
}

/** A daemon whose runtime a control plane uses, with one model server of the operator's, `lab`. */
export interface TenantRuntime extends AsyncDisposable {
  client: RuntimeClient;
  /** The daemon's own API. */
  url: string;
  workspace: string;
  clock: FakeClock;
  lab: ModelServer;
  logText(): string;
  /** Registers `name` of a tenant with this `spec`, and returns its runtime name. */
  register(
    spec?: Record<string, unknown>,
    change?: { tenant?: string; name?: string; id?: string },
  ): Promise<string>;
  problems(spec: Record<string, unknown>, tenant?: string): Promise<Problem[]>;
  /** Reads the files of the workspace that have changed. */
  look(): Promise<void>;
  /** Runs a registered agent to its end. */
  run(runtimeName: string, change?: Partial<RuntimeRun>): Promise<TenantRunRead>;
}

export interface TenantRunRead {
  frames: Exclude<RuntimeFrame, RunEnded>[];
  ended: RunEnded;
  /** The answer, if there is one. */
  response: string;
}

export const runtimeToken = "runtime-token-of-at-least-32-bytes!!";
export const tenantA = "019a0000-0000-7000-8000-00000000000a";
export const tenantB = "019a0000-0000-7000-8000-00000000000b";

export async function startTenantRuntime(options: TenantRuntimeOptions = {}): Promise<TenantRuntime> {
  const { transport = "in process", script = [{ text: "Hello there." }], variables = {} } = options;
  await using held = new AsyncDisposableStack();
  const workspace = held.use(temporaryFolder()).path;
  const lab = held.adopt(await startModelServer(script), (server) => server.stop());
  const providers = { lab: { type: "vllm", endpoint: lab.url, api_key_env: "LAB_KEY" } };
  const files = {
    "providers.yaml": JSON.stringify({ providers }),
    "runtime.yaml": JSON.stringify({ spec: options.runtime ?? {} }),
    ...options.files,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  const all: Record<string, string> = { LAB_KEY: "lab-key-0123456789", ...variables };
  const loaded: Config = {
    ...loadConfig({ workspace, port: "0" }),
    access: { allowedHosts: [], insecureOpen: false },
    models: { autoConfigure: false, rehearse: false },
    variable: (name) => all[name],
    ...(transport === "over the network" && { runtimeToken }),
  };
  const config = options.configure?.(loaded) ?? loaded;
  const clock = new FakeClock();
  let logText = "";
  const log = createLogger({
    level: "debug",
    format: "json",
    write: (lines) => {
      logText += lines;
    },
    secrets: config.knownSecrets,
    clock,
  });
  const argosy = held.adopt(await assembleArgosy(config, { log, clock, only: ["daemon"] }), (one) =>
    one.close(0),
  );
  const daemon = argosy.getService("daemon");
  const listener = listen(daemon.app, { host: "127.0.0.1", port: 0 }, { clock });
  held.defer(() => listener.stop(0));
  const remote = { url: listener.url, headers: { authorization: `Bearer ${runtimeToken}` } };
  const address = argosy.foundation.peers.find("daemon", transport === "in process" ? undefined : remote);
  if (address === undefined) throw new Error("the daemon is not a peer");
  const client = runtimeClient(address);
  const ending = held.move();
  return {
    client,
    url: listener.url,
    workspace,
    clock,
    lab,
    logText() {
      log.flush();
      return logText;
    },
    async register(spec = {}, { tenant = tenantA, name = "helper", id = "agent-1" } = {}) {
      const runtimeName = `t_${tenant}__${name}`;
      await client.register(runtimeName, {
        tenant_id: tenant,
        agent_id: id,
        name,
        checksum: checksumOf(spec),
        spec: manifestOf(name, spec),
      });
      checksums.set(`${runtimeName}`, checksumOf(spec));
      return runtimeName;
    },
    async look() {
      await clock.advance(5000);
      const request = new Request("http://localhost/v1/agents");
      await (daemon.control ?? daemon.app).handle(request, { peer: "control" });
    },
    problems: (spec, tenant = tenantA) => client.check(tenant, manifestOf("helper", spec)),
    run: (runtimeName, change) => readRun(client.run(runtimeName, runOf(runtimeName, change))),
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** The last registered checksum by runtime name. */
const checksums = new Map<string, string>();

const checksumOf = (spec: Record<string, unknown>) => Bun.hash(JSON.stringify(spec)).toString(16);

/** Returns a request to run an agent as last registered. */
export function runOf(runtimeName: string, change: Partial<RuntimeRun> = {}): RuntimeRun {
  return {
    run_id: crypto.randomUUID(),
    checksum: checksums.get(runtimeName) ?? "none",
    query: "hi",
    session_id: "s1",
    context: {},
    stream: true,
    limits: { total_tokens: 64_000, timeout_ms: 120_000 },
    ...change,
  };
}

/** Returns a manifest that calls the operator's `lab` by default. */
export function manifestOf(name: string, spec: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name },
    spec: { model: { primary: { provider: "lab", model: "test-model" } }, ...spec },
  };
}

/** Reads a run to its last frame. */
export async function readRun(stream: AsyncIterable<RuntimeFrame>): Promise<TenantRunRead> {
  const frames: TenantRunRead["frames"] = [];
  let ended: RunEnded | undefined;
  for await (const frame of stream) {
    if (ended !== undefined) throw new Error("a frame after the last");
    if (frame.type === "ended") ended = frame;
    else frames.push(frame);
  }
  if (ended === undefined) throw new Error("the stream ended without its last frame");
  return { frames, ended, response: (ended.result as { response?: string } | undefined)?.response ?? "" };
}
