import { join } from "node:path";
import { agentFile } from "./daemon.ts";
import { type ServerOptions, type ServerProcess, startServer } from "./executable.ts";
import { freePort } from "./free-port.ts";
import { meshSecret } from "./mesh-secret.ts";
import { type ModelScript, type ModelServer, startModelServer } from "./model-server.ts";
import { temporaryFolder } from "./temp-folder.ts";
import { untilTrue } from "./until-true.ts";
import { writeFiles } from "./write-files.ts";

export interface MeshOptions {
  /** Agent files of each node, by node name and path. */
  agents: Readonly<Record<string, Readonly<Record<string, string>>>>;
  models: ModelScript;
  /** Variables of each node. */
  env?: (node: string) => Readonly<Record<string, string>>;
  /** The daemon only, by default; an empty list: those of the node's role. */
  services?: readonly string[];
  /** Entries of each node's providers.yaml; by default `lab`, the model server. */
  providers?: (node: string, url: string) => Record<string, unknown>;
  /** `spec` of each node's runtime.yaml. */
  spec?: (node: string) => Record<string, unknown>;
  /** Another copy of the executable for a node, such as an earlier version. */
  program?: (node: string) => string | undefined;
}

/** Several executables in one mesh, with one model server that counts calls. Killed at the end of the `await using` block. */
export interface MeshNodes extends AsyncDisposable {
  models: ModelServer;
  get(node: string): ServerProcess;
  /** Workspace of the node. */
  folder(node: string): string;
  /** Variables of the node. */
  env(node: string): Readonly<Record<string, string>>;
  /** Starts the node again after it was killed, on the same port and data. */
  restart(node: string): Promise<ServerProcess>;
  /** Resolves when each of these nodes sees all of them as alive. */
  converged(...nodes: readonly string[]): Promise<void>;
}

/** Short times, so that a test sees a failure within seconds. */
const meshTiming = { heartbeat_ms: 200, gossip_ms: 200, suspect_ms: 2_000, dead_ms: 4_000 };

/** For tests without a failure: on a busy machine a node that is only slow isn't taken for a lost one. */
export const patientMesh = { mesh: { ...meshTiming, suspect_ms: 60_000, dead_ms: 120_000 } };

/** Starts one executable for each key of `agents` and waits until they see each other. */
export async function startMeshNodes(options: MeshOptions): Promise<MeshNodes> {
  await using held = new AsyncDisposableStack();
  const models = held.adopt(await startModelServer(options.models), (server) => server.stop());
  const names = Object.keys(options.agents);
  const ports = new Map(names.map((name) => [name, freePort()]));
  const folders = new Map(names.map((name) => [name, held.use(temporaryFolder()).path]));
  const running = new Map<string, ServerProcess>();
  held.defer(async () => {
    for (const server of running.values()) {
      server.kill("SIGCONT");
      server.kill("SIGKILL");
      await server.exited;
    }
  });
  const seeds = [...ports.values()].map((port) => `127.0.0.1:${port}`).join(",");
  const envOf = (name: string) => ({
    PLATFORM_PORT: String(ports.get(name)),
    PLATFORM_MESH_ENABLED: "true",
    PLATFORM_MESH_SEEDS: seeds,
    PLATFORM_MESH_SECRET: meshSecret,
    PLATFORM_NODE_NAME: name,
    ...options.env?.(name),
  });
  const start = async (name: string) => {
    const program = options.program?.(name);
    const serverOptions: ServerOptions = {
      services: options.services ?? ["daemon"],
      env: envOf(name),
      ...(program !== undefined && { program }),
    };
    const server = await startServer(folders.get(name) ?? "", serverOptions);
    running.set(name, server);
    return server;
  };
  for (const [name, agents] of Object.entries(options.agents)) {
    writeFiles(folders.get(name) ?? "", {
      "providers.yaml": JSON.stringify({
        providers: options.providers?.(name, models.url) ?? { lab: { type: "vllm", endpoint: models.url } },
      }),
      // Nodes on a shared database must say where their vectors are.
      "runtime.yaml": JSON.stringify({
        spec: { mesh: meshTiming, vectors: { backend: "lancedb" }, ...options.spec?.(name) },
      }),
      ...Object.fromEntries(Object.entries(agents).map(([path, text]) => [join("agents", path), text])),
    });
  }
  await Promise.all(names.map(start));
  const get = (name: string) => {
    const server = running.get(name);
    if (server === undefined) throw new Error(`There is no node ${name}.`);
    return server;
  };
  const converged = async (...nodes: readonly string[]) => {
    for (const name of nodes) {
      await untilTrue(async () => {
        const { body } = await get(name).call("GET", "/v1/mesh/state");
        // A node tells its role and agents with its first heartbeat.
        const alive = body.nodes.filter(
          (node: { state: string; heartbeat: number }) => node.state === "alive" && node.heartbeat > 0,
        );
        return nodes.every((other) => alive.some((node: { node_id: string }) => node.node_id === other));
      });
    }
  };
  await converged(...names);
  const ending = held.move();
  return {
    models,
    get,
    folder: (name) => folders.get(name) ?? "",
    env: envOf,
    restart: start,
    converged,
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

export const agentFiles = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`${name}.agent.yaml`, agentFile(name)]));
