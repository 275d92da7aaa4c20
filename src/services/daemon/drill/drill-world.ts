import type { Clock } from "../../../kit/clock.ts";
import { sleep } from "../../../kit/clock.ts";
import type { FaultSwitch } from "../../../kit/outages/fault-switch.ts";
import { type DrillModels, endpointOf, type ModelName } from "./drill-models.ts";

/** The running system as a drill uses it. Tests replace one of these functions to break a promise. */
export interface DrillWorld {
  clock: Clock;
  signal: AbortSignal;
  faults: FaultSwitch;
  models: DrillModels;
  /** Calls an API of the daemon as its owner. */
  call(method: string, path: string, body?: unknown, accept?: string): Promise<DrillAnswer>;
  /** Returns the circuit's phase of a model server of the drill. */
  circuitOf(name: ModelName): "closed" | "open" | "half_open" | undefined;
  /** Failures in a row that open a circuit, and the time until the next try. */
  circuit: { failureThreshold: number; cooldownMs: number };
  database: "sqlite" | "postgres";
  /** Ids of this process's children whose command line contains the text; none if the system doesn't tell. */
  childrenWith(text: string): number[];
  kill(pid: number): void;
}

export interface DrillAnswer {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every route of the API.
  body: any;
  tookMs: number;
}

/** The agent that meets the faults. Its first model server gets them; its second one answers. */
export const drillAgent = "argosy-drill";
/** An agent beside it that must notice nothing. */
export const neighbourAgent = "argosy-drill-neighbour";
/** An agent whose only model server is the first one. */
export const loneAgent = "argosy-drill-alone";

/** Silence after which the drill's agents give up a model server. */
export const modelTimeoutMs = 1_000;

const about = "Made by `argosy drill`, which deletes it at its end.";

const model = (name: ModelName) => ({
  provider: "vllm",
  model: "drill",
  endpoint: endpointOf(name),
  timeout_seconds: modelTimeoutMs / 1000,
});

const manifest = (name: string, models: object) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name },
  spec: {
    identity: { description: about },
    model: models,
  },
});

const manifests = [
  manifest(drillAgent, { primary: model("first"), fallbacks: [model("second")] }),
  manifest(neighbourAgent, { primary: model("neighbour") }),
  manifest(loneAgent, { primary: model("first") }),
];

/** Creates the drill's agents. Replaces those that a killed server left behind, and refuses if the owner has an agent of that name. */
export async function addAgents({ call }: Pick<DrillWorld, "call">): Promise<void> {
  for (const each of manifests) {
    const path = `/v1/agents/${each.metadata.name}`;
    const present = await call("GET", path);
    if (present.status === 200 && !present.text.includes(about))
      throw new Error(`An agent of yours has the name ${each.metadata.name}; rename it.`);
    const made = await call("PUT", path, each);
    if (made.status >= 300) throw new Error(`The drill's agent was refused: ${made.text.slice(0, 500)}`);
  }
}

/** Deletes the drill's agents with their conversations. */
export async function removeAgents({ call }: Pick<DrillWorld, "call">): Promise<void> {
  for (const { metadata } of manifests) await call("DELETE", `/v1/agents/${metadata.name}`);
}

/** Runs one of the drill's agents. */
export const ask = ({ call }: DrillWorld, agent: string, session?: string): Promise<DrillAnswer> =>
  call("POST", `/v1/agents/${agent}/run`, {
    query: "Take part in the drill.",
    ...(session === undefined ? {} : { session_id: session }),
  });

/** Runs one of the drill's agents and returns the stream of its events as text. */
export const askForEvents = ({ call }: DrillWorld, agent: string): Promise<DrillAnswer> =>
  call("POST", `/v1/agents/${agent}/run`, { query: "Take part in the drill." }, "text/event-stream");

/** How often a watch asks `/healthz`. */
const watchEveryMs = 100;

/** Asks `/healthz` until `work` ends. Returns its result and the longest answer, with the delay of this process's own timers. */
export async function watchingHealth<T>(
  world: DrillWorld,
  work: Promise<T>,
): Promise<{ result: T; slowestMs: number; failures: number }> {
  const { clock, call } = world;
  let isOver = false;
  let slowestMs = 0;
  let failures = 0;
  const watch = (async () => {
    while (!isOver) {
      const dueMs = clock.monotonicMs() + watchEveryMs;
      await sleep(clock, watchEveryMs);
      const { status } = await call("GET", "/healthz");
      if (status !== 200) failures++;
      slowestMs = Math.max(slowestMs, clock.monotonicMs() - dueMs);
    }
  })();
  let result: T;
  try {
    result = await work;
  } finally {
    isOver = true;
    // The last answer counts as well: a stall often ends with the work.
    await watch;
  }
  return { result, slowestMs, failures };
}
