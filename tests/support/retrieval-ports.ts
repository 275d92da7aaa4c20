import type { Clock } from "../../src/kit/clock.ts";
import type { KnownServer, RetrievalPorts } from "../../src/retrieval/retrieval-ports.ts";
import { HastyClock } from "./hasty-clock.ts";
import { type LoggedEvent, recordingLogger } from "./recording-logger.ts";

export interface StagedPorts extends RetrievalPorts {
  logged: LoggedEvent[];
}

interface Stage<SomeClock extends Clock> {
  clock?: SomeClock;
  variables?: Record<string, string>;
  servers?: Record<string, KnownServer>;
}

/** Ports of embedders and rerankers over the real network, with this environment and without model files. */
export function retrievalPorts<SomeClock extends Clock = HastyClock>({
  clock,
  variables = {},
  servers = {},
}: Stage<SomeClock> = {}): StagedPorts {
  const { log, logged } = recordingLogger();
  return {
    fetch: (url, init) => fetch(url, init),
    clock: clock ?? new HastyClock(),
    log,
    logged,
    random: () => 0.5,
    variable: (name) => variables[name],
    serverOf: (provider) => servers[provider],
    onnx: unused as RetrievalPorts["onnx"],
  };
}

/** Tests that use these ports open no model of their own. */
const unused: unknown = { folder: "/nowhere" };
