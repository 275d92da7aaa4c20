import type { MeshRun } from "../../src/contracts/daemon/mesh-run.ts";
import { agentFile, type DaemonOptions, startDaemon } from "./daemon.ts";
import { meshSecret } from "./mesh-secret.ts";

/** Starts a daemon as the node n1 of a mesh; an empty key: without a secret. */
export const startMeshDaemon = (key = meshSecret, options: DaemonOptions = {}) =>
  startDaemon({
    ...options,
    configure: (config) => ({
      ...config,
      mesh: {
        nodeName: "n1",
        address: "127.0.0.1:8000",
        seeds: [],
        ...(key !== "" && { secret: key }),
        tickMs: 1_000,
        gossipMs: 1_000,
        suspectMs: 5_000,
        deadMs: 15_000,
      },
    }),
  });

/** An agent that calls a tool and answers "It is noon." once `answered` resolves. */
export const agentWithTool = (answered: Promise<void>): DaemonOptions => ({
  agents: {
    "helper.agent.yaml": agentFile("helper", { tools: [{ name: "datetime_now", type: "builtin" }] }),
  },
  models: {
    lab: [{ toolCalls: [{ name: "datetime_now", arguments: {} }] }, { text: "It is noon.", after: answered }],
  },
});

/** A run of node n2 for node n1. */
export const meshRun = (over: Partial<MeshRun> = {}): MeshRun => ({
  from: "n2",
  to: "n1",
  agent: "helper",
  sender: "stranger",
  session_id: "s1",
  query: "Hello?",
  context: {},
  stream: false,
  ...over,
});
