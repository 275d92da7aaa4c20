import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { KeptRun } from "../durable-runs/caller-runs.ts";
import type { LocatedAgent } from "./locate-agent.ts";
import type { AdmittedRequest, RunNode, RunRouter } from "./run-router.ts";

/** How many nodes are tried. This node is tried last if it isn't among them. */
const bestNodes = 2;

/** A node that failed or refused a run before its first event. Another node may perform the run. */
export class NodeFault extends AppError {}

/** Performs a run on this node. */
export type PerformHere = (request: AdmittedRequest) => AsyncGenerator<RunEvent, void>;

/**
 * Performs a run on the best node. If that one fails before the first event, one other node gets the run, and at last this one, which needs
 * no connection. After the first event nothing is repeated: the caller has seen a part of the answer, or a tool has had its effects.
 */
export async function* routeRun(
  router: RunRouter,
  agent: LocatedAgent,
  request: AdmittedRequest,
  {
    performHere,
    isRecorded,
    kept,
  }: { performHere: PerformHere; isRecorded: boolean; kept?: KeptRun | undefined },
): AsyncGenerator<RunEvent, void> {
  const { nodes, sessionId } = router.place(agent, request);
  const placed = { ...request, sessionId };
  const tried = nodes.filter(({ isHere }, at) => at < bestNodes || isHere);
  if (tried.length === 0) throw noNode(agent.name);
  for (const [index, node] of tried.entries()) {
    let hasBegun = false;
    try {
      const events = node.isHere
        ? performHere(placed)
        : router.perform(node, agent, placed, isRecorded, kept);
      for await (const event of events) {
        hasBegun = true;
        yield event;
      }
      return;
    } catch (thrown) {
      const isOver = request.cancelledBy.some(({ aborted }) => aborted);
      if (hasBegun || isOver || index === tried.length - 1 || !isNodes(thrown, node)) throw thrown;
      router.movedOn(node, toAppError(thrown).code);
    }
  }
}

/** Returns true for a failure of the node, not of the run. */
const isNodes = (thrown: unknown, { isHere }: RunNode): boolean =>
  isHere ? toAppError(thrown).code === "too_busy" : thrown instanceof NodeFault;

const noNode = (agent: string) =>
  new AppError(
    "not_found",
    "agent_not_found",
    `No reachable node can run the agent ${JSON.stringify(agent)}.`,
    {
      details: { hint: "`argosy mesh status` lists the nodes." },
    },
  );
