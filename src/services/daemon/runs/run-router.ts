import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { EngineRequest } from "../../../engine/run-state/run-request.ts";
import type { KeptRun } from "../durable-runs/caller-runs.ts";
import type { LocatedAgent } from "./locate-agent.ts";

/** A request to run an agent, as the daemon's API accepts it. */
export interface AdmittedRequest extends EngineRequest {
  /** True if the caller named no session, so that its id may still be chosen. */
  isNewSession?: boolean;
  /** The run has one answer for each key. */
  key?: RequestKey;
  /** True if another process continues the run should this one die, because the caller comes back to its session. */
  outlives?: boolean;
}

/** The key that a caller chose for a request. */
export const callerKey = (key: string | undefined, replayed?: () => void): RequestKey | undefined =>
  key === undefined ? undefined : { name: `caller ${key}`, isShared: true, ...(replayed && { replayed }) };

/** The key of a request. */
export interface RequestKey {
  /** Unique among all requests; see `callerKey`. */
  name: string;
  /** True if callers choose it: the key of another request is refused. */
  isShared: boolean;
  /** Called before the first event if an earlier request began the run. */
  replayed?: () => void;
}

/** A node that can perform a run. */
export interface RunNode {
  id: string;
  /** True for the node that this process is. */
  isHere: boolean;
}

/** Nodes for a run, the best first, and the session id that the run gets. */
export interface Placement {
  nodes: readonly RunNode[];
  sessionId: string;
}

/** The other nodes, as runs use them. */
export interface RunRouter {
  /** Returns true if another living node can run the agent. */
  hasAgent(name: string): boolean;
  /** Names of the agents that living nodes other than this one can run. */
  agentsElsewhere(): readonly string[];
  place(agent: LocatedAgent, request: AdmittedRequest): Placement;
  /**
   * Runs the agent on another node and yields its events. An error of the run itself is thrown unchanged. Throws `NodeFault` if the node
   * failed or refused before the run's first event.
   */
  perform(
    node: RunNode,
    agent: LocatedAgent,
    request: AdmittedRequest,
    isRecorded: boolean,
    kept?: KeptRun,
  ): AsyncGenerator<RunEvent, void>;
  /** Counts a run that another node gets because the first one failed. */
  movedOn(from: RunNode, code: string): void;
}
