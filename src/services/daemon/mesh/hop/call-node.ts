import type { MeshRun } from "../../../../contracts/daemon/mesh-run.ts";
import type { RunEvent } from "../../../../engine/run-state/run-event.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { onAbort } from "../../../../kit/concurrency/on-abort.ts";
import type { MessageSigner } from "../../../../mesh/message-signature.ts";
import { NodeFault } from "../../runs/route-run.ts";
import { type NodeExchange, postRun, runPath } from "./node-exchange.ts";
import { errorOf, LineReader, lineCharsMax, type RunLine } from "./run-lines.ts";
import { readWhole } from "./whole-answer.ts";

export interface NodeCallDeps {
  fetch(url: string, init: RequestInit): Promise<Response>;
  signer: MessageSigner;
  /** This node, as it signs. */
  self(): { nodeId: string; incarnation: number };
  clock: Clock;
  /** Time for a node to accept a run. */
  acceptMs: number;
  /** Silence after which a node that accepted a run counts as lost. It sends a sign of life every second. */
  silenceMs: number;
}

/**
 * Runs an agent on the node at `baseUrl` and yields the events. The run's own errors are thrown as the node sent them. Throws `NodeFault`
 * if the node failed or refused before the first event, and `node_lost` (502) if it failed later. Stopping early cancels the run there.
 */
export async function* callNode(
  deps: NodeCallDeps,
  baseUrl: string,
  message: MeshRun,
  cancelledBy: readonly AbortSignal[],
): AsyncGenerator<RunEvent, void> {
  const { signer, clock } = deps;
  let exchange: NodeExchange | undefined;
  const fallSilent = () => exchange?.leave(silent(message.to));
  let stopWatch = clock.timer(deps.acceptMs, fallSilent);
  const watch = () => {
    stopWatch();
    stopWatch = clock.timer(deps.silenceMs, fallSilent);
  };
  const deafened = cancelledBy.map((signal) => onAbort(signal, () => exchange?.leave(signal.reason)));
  let hasBegun = false;
  let last: RunEvent | undefined;
  let isRead = false;
  function* received(line: RunLine): Generator<RunEvent> {
    for (const event of eventsOf(line, hasBegun)) {
      hasBegun = true;
      if (event.type === "done") last = event;
      else yield event;
    }
  }
  try {
    for (const signal of cancelledBy) signal.throwIfAborted();
    const text = JSON.stringify(message);
    const signature = signer.sign(deps.self(), runPath, text);
    exchange = postRun(deps.fetch, baseUrl, signature, text);
    const answer = await exchange.answer;
    if ("whole" in answer) {
      const { whole } = answer;
      if (typeof whole !== "string") watch();
      const text = await whole;
      if (text.length > lineCharsMax)
        throw new AppError("upstream_failed", "node_cut", "The answer is too long.");
      signer.verifyAnswer(signature, answer.seal, text);
      for (const event of received(readWhole(text))) yield event;
    } else {
      watch();
      signer.verifyAnswer(signature, answer.seal, runPath);
      const lines = new LineReader(signer, signature.slice(signature.lastIndexOf(",") + 1));
      for await (const piece of answer.pieces) {
        watch();
        for (const line of lines.push(piece)) for (const event of received(line)) yield event;
      }
    }
    isRead = true;
    if (last === undefined) throw new AppError("upstream_failed", "node_cut", "The answer ended early.");
  } catch (thrown) {
    // Whatever happens to the connection after it, the answer is whole.
    if (last !== undefined) return yield last;
    if (thrown instanceof RunFault) throw thrown.error;
    const cancelled = cancelledBy.find(({ aborted }) => aborted);
    if (cancelled !== undefined) throw cancellation(cancelled.reason);
    if (hasBegun) throw nodeLost(message, thrown);
    throw nodeFault(message, thrown);
  } finally {
    stopWatch();
    for (const deafen of deafened) deafen();
    if (!isRead) exchange?.leave(new DOMException("The run is no longer read.", "AbortError"));
  }
  // Only now, because the connection serves the next run only if this answer was read to its end.
  yield last;
}

/** Carries an error of the run itself past the handling of the node's errors. */
class RunFault extends Error {
  readonly error: AppError;

  constructor(error: AppError) {
    super();
    this.error = error;
  }
}

/** Codes of errors with which a node refuses a run before it has begun. */
const refusals: ReadonlySet<string> = new Set([
  "too_busy",
  "agent_not_found",
  "agent_failed",
  "agent_paused",
  "run_cancelled",
]);

function eventsOf(line: RunLine, hasBegun: boolean): readonly RunEvent[] {
  if (!("error" in line)) return line;
  const error = errorOf(line);
  if (!hasBegun && refusals.has(error.code)) throw error;
  throw new RunFault(error);
}

/** A refusal keeps its code and text, so that the caller of the last node asked sees them. */
function nodeFault({ to, agent }: MeshRun, thrown: unknown): NodeFault {
  if (thrown instanceof AppError && thrown.kind !== "upstream_failed") {
    const { kind, code, message, details } = thrown;
    if (kind !== "unauthorized") return new NodeFault(kind, code, message, { details, cause: thrown });
  }
  return new NodeFault(
    "unavailable",
    "node_unreachable",
    `The node ${to} has the agent ${agent}, but it can't be reached.`,
    { cause: thrown, details: { hint: "Try again in a moment.", retryAfterSeconds: 1 } },
  );
}

const cancellation = (reason: unknown): AppError =>
  reason instanceof AppError
    ? reason
    : new AppError("unavailable", "run_cancelled", "The run was cancelled.", { cause: reason });

const nodeLost = ({ to }: MeshRun, cause: unknown) =>
  new AppError("upstream_failed", "node_lost", `The node ${to} stopped answering during the run.`, {
    cause,
    details: { hint: "Send the request again. Tools of the run may already have had their effects." },
  });

const silent = (node: string) =>
  new AppError("upstream_failed", "node_silent", `The node ${node} did not answer in time.`);
