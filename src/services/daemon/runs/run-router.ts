import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { RunRequest } from "../../../engine/run-state/run-request.ts";
import type { LocatedAgent } from "./locate-agent.ts";

/** A request to run an agent, as the daemon's API accepts it. */
export interface AdmittedRequest extends RunRequest {
  /** True if the caller named no session, so that its id may still be chosen. */
  isNewSession?: boolean;
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
  ): AsyncGenerator<RunEvent, void>;
  /** Counts a run that another node gets because the first one failed. */
  movedOn(from: RunNode, code: string): void;
}
