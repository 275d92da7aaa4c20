import { unknownOutcomes, usageOfSteps } from "../../../engine/approvals/kept-steps.ts";
import type { JournalEntry } from "../../../engine/approvals/paused-run.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import { AppError } from "../../../kit/app-error.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import { openText } from "../../../storage/sealed-text.ts";
import type { CallerRunRow, RunStepsRow } from "./schema.ts";
import { OpenSteps, type StepPorts, StepWriter, stepsContext } from "./step-writer.ts";
import { deleteSteps, insertSteps, pruneSteps, type RunKey, readSteps } from "./store.ts";

/*
 * Durable runs: their steps are stored as they end, so that another process can continue them.
 *
 * A run that is continued takes the stored steps: answers of models, results of tools, what memories returned. A tool that may change
 * something is noted before each call. If such a call has no stored end, its outcome is unknown, and the run ends and names the tool. Steps
 * count for the same agents and program alone; see `DurableRuns.takeOver`.
 */

/** Control planes delete the steps of ended runs; those of runs that nobody ends are dropped after this time. */
const keptMs = 24 * 60 * 60 * 1000;
const pruneEveryMs = 60 * 60 * 1000;

/** Keeps the steps of a run, so that another process can continue it. */
export type KeepSteps = (fingerprint: () => string) => OpenSteps | Promise<OpenSteps>;

/** A run that this process continues. */
export interface TakenOver {
  steps: OpenSteps;
  /** Tools whose last calls have an unknown outcome. If there are any, the run must end with `outcomeUnknown`. */
  unknown: readonly string[];
  /** Usage of the model calls that are not made again. */
  used: ReturnType<typeof usageOfSteps>;
  /** True if a tool that may change something was called. */
  hasActed: boolean;
}

export class DurableRuns {
  readonly #ports: StepPorts;
  readonly #writer: StepWriter;

  constructor(ports: StepPorts) {
    this.#ports = ports;
    this.#writer = new StepWriter(ports);
  }

  /** Keeps the steps of a run that begins. */
  begin(
    key: RunKey,
    fingerprint: () => string,
    { row, left }: { row?: () => CallerRunRow; left?: AbortSignal | undefined } = {},
  ): OpenSteps {
    return new OpenSteps(this.#writer, key, fingerprint, { row, left });
  }

  /** As `takeOver`, for a run of the daemon's own callers: counts the calls of models before, and throws `outcomeUnknown`. */
  async goOn(
    key: RunKey,
    { agent, sessionId }: { agent: string; sessionId: string },
    fingerprint: () => string,
    usage: RunPorts["usage"],
  ): Promise<OpenSteps> {
    const { steps, used, unknown } = await this.takeOver(key, fingerprint);
    const { tenant } = key;
    const about = { tenant, agent, sessionId, pattern: "", latencyMs: 0, at: this.#ports.clock.now() };
    usage.record(used.map((call) => ({ ...about, ...call })));
    if (unknown.length > 0) throw outcomeUnknown(unknown);
    return steps;
  }

  /**
   * Continues a run whose process is dead: from now on, that process can't call tools in it that may change something. If the agents or the
   * program have changed, the run begins anew. Throws AppError `agent_changed` if it can't begin anew because tools were called.
   */
  async takeOver(key: RunKey, fingerprint: () => string, left?: AbortSignal): Promise<TakenOver> {
    const mine = fingerprint();
    const { rows, number } = await this.#claim(key, mine);
    const stepsOf = (kept: readonly RunStepsRow[]) => kept.flatMap((row) => this.#open(row));
    const foreign = stepsOf(rows.filter((row) => row.fingerprint !== mine));
    const earlier = stepsOf(rows.filter((row) => row.fingerprint === mine));
    const unknown = unknownOutcomes([...foreign, ...earlier]);
    if (unknown.length === 0 && foreign.some(isAction)) throw agentChanged();
    return {
      unknown,
      steps: new OpenSteps(this.#writer, key, fingerprint, { earlier, number, left }),
      used: usageOfSteps(earlier),
      hasActed: earlier.some(isAction),
    };
  }

  /** Deletes the steps of runs whose ends are recorded. */
  async forget(runs: readonly RunKey[]): Promise<void> {
    if (runs.length > 0) await deleteSteps(this.#ports.storage, runs);
  }

  worker(): Worker {
    const { storage, clock } = this.#ports;
    const prune = () => pruneSteps(storage, new Date(clock.now().getTime() - keptMs));
    return repeatedWorker("run-step-pruner", pruneEveryMs, clock, prune, { afterMs: pruneEveryMs });
  }

  /** Takes the place of the run's next row. The process before may have written it meanwhile: then its steps are read too. */
  async #claim(key: RunKey, fingerprint: string): Promise<{ rows: RunStepsRow[]; number: number }> {
    const { storage, clock } = this.#ports;
    for (;;) {
      const rows = await readSteps(storage, key);
      const number = (rows.at(-1)?.number ?? -1) + 1;
      const claim = { ...key, number, fingerprint, steps: "", writtenAt: clock.now() };
      if ((await insertSteps(storage, [claim])).length > 0) return { rows, number: number + 1 };
    }
  }

  #open(row: RunStepsRow): JournalEntry[] {
    if (row.steps === "") return [];
    return JSON.parse(openText(this.#ports.sealer, row.steps, stepsContext(row, row.number)));
  }
}

const isAction = ({ kind }: JournalEntry) => kind === "begun";

/** The error that ends a run whose last calls have an unknown outcome. */
export const outcomeUnknown = (tools: readonly string[]) =>
  new AppError(
    "conflict",
    "tool_outcome_unknown",
    `The run was interrupted during a call of ${tools.join(", ")}. The call may have been carried out; Argosy does not repeat it.`,
    { details: { facts: { tools: [...tools] } } },
  );

const agentChanged = () =>
  new AppError(
    "conflict",
    "agent_changed",
    "The agent, one of its sub-agents, or Argosy has changed since the run was interrupted. Tools were called, so it does not begin anew.",
  );
