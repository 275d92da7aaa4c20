import { readFileSync } from "node:fs";
import { join } from "node:path";
import { childCommand } from "../../src/compose/child-command.ts";
import { createLiveTools } from "../../src/engine/agents/live-tools.ts";
import { builtRegistries } from "../../src/engine/agents/manifest-registries.ts";
import { bindTools } from "../../src/engine/tools/bind-tools.ts";
import type { BoundTool } from "../../src/engine/tools/bound-tool.ts";
import type { ToolPorts } from "../../src/engine/tools/builtin/builtin-tool.ts";
import type { McpServer } from "../../src/engine/tools/mcp/mcp-server.ts";
import { McpServers } from "../../src/engine/tools/mcp/mcp-servers.ts";
import { type LoginStore, memoryLogins } from "../../src/engine/tools/mcp/oauth/login-store.ts";
import type { ServerAddress } from "../../src/engine/tools/mcp/server-address.ts";
import { memoryPins, type ToolPins } from "../../src/engine/tools/mcp/tool-pins.ts";
import { resolveBySystem } from "../../src/engine/tools/network/address/address-resolver.ts";
import { nothingOpened } from "../../src/engine/tools/network/address/opened-networks.ts";
import { createGuardedNetwork } from "../../src/engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../src/engine/tools/network/direct-connection.ts";
import type { GuardedNetwork } from "../../src/engine/tools/network/guarded-network.ts";
import { FakeClock, settle } from "./fake-clock.ts";
import { freePort } from "./free-port.ts";
import { parseAgent } from "./parse-agent.ts";
import { type LoggedEvent, recordingLogger } from "./recording-logger.ts";
import { socketTurns } from "./socket-turns.ts";

export const modules = join(import.meta.dir, "../../node_modules");

/** Returns the command that starts the staged server with a behaviour. */
export function stagedCommand(behaviour: string, argument = ""): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: [join(import.meta.dir, "staged-mcp-server.ts"), behaviour, argument],
  };
}

/** Returns the address of the staged server over stdio. */
export function stagedServer(behaviour: string, argument = "", memoryMb = 2048): ServerAddress {
  const memoryBytesMax = memoryMb * 1024 ** 2;
  return { transport: "stdio", ...stagedCommand(behaviour, argument), env: {}, memoryBytesMax };
}

export interface ServerStage extends AsyncDisposable {
  servers: McpServers;
  logins: LoginStore;
  clock: FakeClock;
  logged: LoggedEvent[];
  /** Secrets to mask in all output. */
  concealed: ReadonlySet<string>;
  keep(server: McpServer): void;
  kept(): McpServer[];
  /** A server that agents have; it connects when it is needed. */
  server(address: ServerAddress): McpServer;
  /** A server that has started, or has failed to start. */
  started(address: ServerAddress): Promise<McpServer>;
}

/** The guarded network, as in the daemon. */
export function realDoor(clock = new FakeClock()): GuardedNetwork {
  return createGuardedNetwork({
    clock,
    connect: createDirectConnections(clock),
    resolve: resolveBySystem,
    opened: nothingOpened,
  });
}

/** Servers with a clock that does not move; all end with the `await using` block. */
export function stageServers(
  options: {
    network?: GuardedNetwork;
    pins?: ToolPins;
    logins?: LoginStore;
    refusal?: () => string | undefined;
  } = {},
): ServerStage {
  const clock = new FakeClock();
  const { log, logged } = recordingLogger();
  const network = options.network ?? realDoor(clock);
  const logins = options.logins ?? memoryLogins();
  const servers = new McpServers({
    clock,
    log,
    network,
    pins: options.pins ?? memoryPins(),
    logins,
    conceal: (secret) => void concealed.add(secret),
    version: "1.2.3",
    supervisor: childCommand("mcp-child"),
    refusal: options.refusal ?? (() => undefined),
    folder: import.meta.dir,
    path: process.env.PATH ?? "",
  });
  const concealed = new Set<string>();
  const kept = new Set<McpServer>();
  const keep = (made: McpServer) => {
    kept.add(made);
    servers.keep(kept);
  };
  const server = (address: ServerAddress) => {
    const made = servers.at("staged", address);
    keep(made);
    return made;
  };
  return {
    keep,
    kept: () => [...kept],
    servers,
    logins,
    clock,
    logged,
    concealed,
    server,
    async started(address) {
      const made = server(address);
      await made.ready();
      return made;
    },
    [Symbol.asyncDispose]: () => servers.close(),
  };
}

/** A call that is never cancelled. */
export const patient = () => ({ signal: new AbortController().signal, progress: () => {} });

/** Returns an agent's tools from an entry `lab`, once its server has started. */
export async function readyTools(
  stage: ServerStage,
  { behaviour, argument = "", config = {} }: { behaviour: string; argument?: string; config?: object },
): Promise<ReadonlyMap<string, BoundTool>> {
  return await toolsOf(stage, { transport: "stdio", ...stagedCommand(behaviour, argument), ...config });
}

/** Like `readyTools`, for any options of the entry. */
export async function toolsOf(stage: ServerStage, config: object): Promise<ReadonlyMap<string, BoundTool>> {
  const entry = { name: "lab", type: "mcp", config };
  const { spec } = parseAgent(
    {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "staged" },
      spec: { tools: [entry] },
    },
    { registries: builtRegistries() },
  );
  const ports: Partial<ToolPorts> = { mcp: stage.servers, clock: stage.clock, conceal: () => {} };
  const { tools, sources, problems } = bindTools(spec, ports as ToolPorts);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const live = createLiveTools(tools, sources, new Set());
  for (const { source } of sources) if (source.mcp !== undefined) stage.keep(source.mcp.server);
  await live?.settled();
  return live?.now().tools ?? new Map();
}

/** Resolves once a condition holds. It polls, because other processes send no notification; the test's own limit ends the wait. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await settle();
}

/** A server in a separate process that listens on loopback. */
export interface RemoteServer extends AsyncDisposable {
  url: string;
  kill(): void;
  /** Ends it and starts another one at the same address. */
  restart(): Promise<void>;
}

/** Starts a program that listens on the port in `PORT`, and waits until it does. */
export async function startRemote(program: string, kind: string): Promise<RemoteServer> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = async () => {
    const started = Bun.spawn([process.execPath, program, kind], {
      env: { PATH: process.env.PATH ?? "", PORT: String(port) },
      stdio: ["ignore", "ignore", "ignore"],
    });
    await until(() => started.exitCode !== null || isListening(port));
    return started;
  };
  let child = await start();
  const end = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return {
    url,
    kill: () => child.kill("SIGKILL"),
    async restart() {
      await end();
      child = await start();
    },
    [Symbol.asyncDispose]: end,
  };
}

/** Checks the system's table: a connection would be a client for the server to handle. */
function isListening(port: number): boolean {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  return ["/proc/net/tcp", "/proc/net/tcp6"].some((table) =>
    readFileSync(table, "latin1")
      .split("\n")
      .some((line) => line.includes(local) && / 0A /.test(line)),
  );
}

/** Returns the address of a server on this machine, over Streamable HTTP unless `more` says otherwise. */
export const addressOf = (url: string, more: Partial<ServerAddress> = {}): ServerAddress => ({
  transport: "http",
  url,
  headers: {},
  allowsLoopback: true,
  ...(more as object),
});

/** Returns the outcome of some work while the clock moves. */
export async function meanwhile<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  void work.then(settled, settled);
  while (!isSettled) {
    // No limit may expire while an answer is on its way.
    await socketTurns(1);
    await clock.advance(1);
  }
  return await work;
}
