import type { MeshPeer } from "../../../../contracts/daemon/mesh.ts";
import { MeshRun } from "../../../../contracts/daemon/mesh-run.ts";
import type { RunEvent } from "../../../../engine/run-state/run-event.ts";
import type { Call } from "../../../../http/call.ts";
import { invalidPart } from "../../../../http/errors/validation-problems.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { ToldController } from "../../../../kit/concurrency/on-abort.ts";
import { endOfTurn } from "../../../../kit/concurrency/others-turn.ts";
import { parseJson } from "../../../../kit/json/parse-json.ts";
import { schemaChecker } from "../../../../kit/json/schema-checker.ts";
import type { MessageSigner } from "../../../../mesh/message-signature.ts";
import type { DurableRuns, KeepSteps } from "../../durable-runs/durable-runs.ts";
import { requireNoPause } from "../../openai/agent-completion.ts";
import { AnswerFormats } from "../../openai/answer-formats.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { admitHere, admitRun, type RunDeps } from "../../runs/admit-run.ts";
import { locateAgent } from "../../runs/locate-agent.ts";
import type { AdmittedRequest } from "../../runs/run-router.ts";
import { receivedRequest, type SentRun } from "../../runs/sent-run.ts";
import { runPath } from "./node-exchange.ts";
import { type AnswerWay, type HopAnswering, RunAnswers } from "./run-answer.ts";

/** Runs of other nodes, as this node accepts them. */
export interface RunHop {
  signer: Pick<MessageSigner, "verify" | "signAnswer" | "hasSecret">;
  nodeId: string;
  /** This node's present offers, its database and keys. */
  own(): MeshPeer;
  /** Throws `node_draining` or `node_resumed` (503) if this node takes no runs of others at the moment. */
  requireOpen(): void;
  /** Called when such a run ends. */
  ended(outcome: "ok" | "failed"): void;
}

/** A run as it came from another node. */
export interface ReceivedRun {
  signature: string | null;
  body: string | Uint8Array;
  /** Aborts when the other node has left. */
  left: ToldController;
  way: AnswerWay;
  onlyLines: boolean;
  call: Pick<Call, "log">;
  /** Called when the run that was begun has ended. */
  ended?(): void;
}

/** Runs agents for other nodes. Such a run always runs here: a run makes one hop. */
export class RunReceiver {
  readonly #deps: RunDeps & { durable: DurableRuns };
  readonly #hop: RunHop;
  readonly #checker = schemaChecker(MeshRun);
  readonly #formats = new AnswerFormats();
  readonly #answers: RunAnswers;

  constructor(deps: RunDeps & { durable: DurableRuns }, hop: RunHop) {
    this.#deps = deps;
    this.#hop = hop;
    this.#answers = new RunAnswers(deps.clock);
  }

  /** Begins a run, which then answers on its way. Throws as the run's own surface would if it doesn't begin. */
  async begin({ signature, body, left, way, onlyLines, call, ended }: ReceivedRun): Promise<void> {
    const { signer, nodeId: to, requireOpen, ended: counted } = this.#hop;
    const { nodeId: from, mac } = signer.verify(signature, runPath, body);
    // The node that signed it has read it strictly.
    const run = parseJson(typeof body === "string" ? body : new TextDecoder().decode(body));
    if (!this.#checker.fits(run)) throw invalidPart("The body", this.#checker.faultsOf(run), MeshRun);
    requireAddressed(run, { from, to });
    // A process that was stopped reads runs whose caller has long gone. After a turn, it has read that too.
    requireOpen();
    await endOfTurn();
    left.signal.throwIfAborted();
    // Without a secret, the sender could be any program of this machine.
    const sender = signer.hasSecret ? run.sender : "stranger";
    const perform = await readyRun(
      this.#deps,
      this.#formats,
      { ...run, sender },
      { from, keep: this.#keepFor(run, left.signal) },
    );
    this.#answers.answer({
      way,
      left,
      perform,
      call,
      signer,
      mac,
      stream: run.stream,
      onlyLines,
      ended(outcome) {
        ended?.();
        counted(outcome);
      },
    });
  }

  /** The steps of a run that the other node continues if this one dies. */
  #keepFor({ run_id: runId }: MeshRun, left: AbortSignal): KeepSteps | undefined {
    const { durable } = this.#deps;
    return runId === undefined
      ? undefined
      : (fingerprint) => durable.begin({ tenant: operatorTenant, runId }, fingerprint, { left });
  }
}

/** Finds the agent of a run on this node. Throws as the run's own surface would. */
export async function readyRun(
  deps: RunDeps,
  formats: AnswerFormats,
  run: SentRun,
  { from, keep }: { from?: string; keep?: KeepSteps | undefined },
): Promise<HopAnswering["perform"]> {
  const { answer_schema: shape, record = false } = run;
  const format = shape && (await formats.get(shape.name, shape.schema, "answer_schema"));
  const terms = { sender: run.sender, override: run.override, format };
  const agent = await locateAgent({ ...deps, router: undefined }, run.agent, terms);
  if (format !== undefined && agent.loaded !== undefined) requireNoPause(deps, agent.loaded);
  return (gone) => {
    const request: AdmittedRequest = receivedRequest(run, [gone, deps.stopping]);
    if (from !== undefined) request.routedFrom = from;
    if (run.outlives) request.outlives = true;
    return keep === undefined
      ? admitRun({ ...deps, router: undefined }, agent, request, record)
      : admitHere(deps, agent, request, record, keep);
  };
}

/** Performs a run that another process has begun, from its data. */
export async function* continuedRun(
  deps: RunDeps,
  run: SentRun,
  keep: KeepSteps | undefined,
): AsyncGenerator<RunEvent, void> {
  const perform = await readyRun(deps, new AnswerFormats(), run, { keep });
  yield* perform(deps.stopping);
}

/** Refuses a run that was meant for another node, or that one node sends in the name of another. */
function requireAddressed(run: MeshRun, { from, to }: { from: string; to: string }): void {
  if (run.from !== from) {
    throw new AppError("forbidden", "not_own_name", `Node ${from} can't speak for node ${run.from}.`);
  }
  if (run.to === to) return;
  throw new AppError("misdirected", "other_node", `This node is ${to}, not ${run.to}.`);
}
