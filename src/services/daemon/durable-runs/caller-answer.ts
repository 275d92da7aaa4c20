import type { RecordedError } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { recordError, restoreError } from "../../../engine/run-state/recorded-error.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { awaitedIn, awaitingOf, type PausedRuns } from "../paused-runs/paused-runs.ts";
import { outcomeOf } from "../paused-runs/present-paused-run.ts";
import { findApproval } from "../paused-runs/store.ts";

export type DoneEvent = Extract<RunEvent, { type: "done" }>;

/** How a run ended, as its row keeps it. */
export type CallerAnswer =
  | { done: Omit<DoneEvent, "trace" | "type"> }
  | { error: RecordedError }
  /** Approval or tool call that the run waits for. */
  | { awaits: string };

export function answerOfDone({ trace: _, type: __, ...done }: DoneEvent): CallerAnswer {
  return { done };
}

export function answerOfFailure(thrown: unknown): CallerAnswer {
  const awaited = awaitedIn(toAppError(thrown));
  if (awaited === undefined) return { error: recordError(thrown) };
  return { awaits: "call_id" in awaited ? awaited.call_id : awaited.approval_id };
}

/** How a reader takes the answer of a run that has ended. */
export interface AnswerReading {
  /** True if it takes `tokens` events. */
  bundles?: boolean | undefined;
}

/** Yields a stored answer as the events of its run. A run that was resumed after its pause has the answer of its end. */
export async function* storedEvents(
  approvals: PausedRuns | undefined,
  tenant: string,
  answer: CallerAnswer,
  reading: AnswerReading,
): AsyncGenerator<RunEvent, void> {
  if ("error" in answer) throw restoreError(answer.error);
  const done = "done" in answer ? answer.done : await doneAfterPause(approvals, tenant, answer.awaits);
  yield* said(done, reading);
  yield { type: "done", trace: undefined, ...done };
}

/** The events of a run that another request began, which may have wanted no tokens: its answer comes before its end then. */
export async function* withAnswer(
  events: AsyncGenerator<RunEvent, boolean>,
  reading: AnswerReading,
): AsyncGenerator<RunEvent, boolean> {
  let isSaid = false;
  try {
    for (;;) {
      const { value, done } = await events.next();
      if (done) return value;
      if (value.type === "token" || value.type === "tokens") isSaid = true;
      if (value.type === "done" && !isSaid) yield* said(value, reading);
      yield value;
    }
  } finally {
    await events.return(false);
  }
}

function* said(
  { result: { response } }: Pick<DoneEvent, "result">,
  { bundles }: AnswerReading,
): Generator<RunEvent> {
  if (response !== "")
    yield bundles ? { type: "tokens", contents: [response] } : { type: "token", content: response };
}

/** What became of a run that paused. Throws the error of one that still waits, and of one that failed. */
async function doneAfterPause(
  approvals: PausedRuns | undefined,
  tenant: string,
  awaits: string,
): Promise<Omit<DoneEvent, "trace" | "type">> {
  for (let id = awaits; ; ) {
    const row = approvals && (await findApproval(approvals.storage, tenant, id));
    if (approvals === undefined || row === undefined) throw gone();
    const { result, error, next_approval_id, next_call_id } = await outcomeOf(approvals, row);
    const next = next_approval_id ?? next_call_id;
    if (next !== undefined) id = next;
    else if (error !== undefined) throw restoreError({ kind: "unprocessable", ...error });
    else if (result !== undefined)
      return { result, finish: "stop", usage: usageOf(result), costMicros: null };
    else throw awaitingOf(approvals, row) ?? gone();
  }
}

const usageOf = ({ usage }: DoneEvent["result"]): DoneEvent["usage"] => ({
  inputTokens: usage.input_tokens,
  outputTokens: usage.output_tokens,
  cachedTokens: 0,
  estimated: false,
});

const gone = () =>
  new AppError(
    "conflict",
    "approval_rejected",
    "The call that the run waited for was not approved, and the run did not go on.",
  );
