import { AppError, type ErrorKind, statusOfKind } from "../../../kit/app-error.ts";
import type { PlatformDeps } from "../deps.ts";
import type { KeptAnswer } from "./idempotency.ts";
import type { RunOutcome } from "./run-outcome.ts";

/** What is kept of an outcome, as JSON. */
type Kept =
  | Extract<RunOutcome, { kind: "done" | "awaiting" }>
  | {
      kind: "failed";
      status: Extract<RunOutcome, { kind: "failed" }>["status"];
      error: { kind: ErrorKind; code: string; message: string };
    };

type Sealing = Pick<PlatformDeps, "sealer">;
type Whose = { tenantId: string; invocationId: string };

/** The outcome of a run, to be given again under its caller's key; sealed where there are keys to seal with. */
export function keptAnswerOf({ sealer }: Sealing, run: Whose, outcome: RunOutcome): KeptAnswer {
  const text = JSON.stringify(keptOf(outcome));
  return {
    status: statusOf(outcome),
    body: sealer === undefined ? text : sealer.seal(text, contextOf(run)),
    isOk: outcome.kind !== "failed",
  };
}

/** The outcome that was kept. */
export function openKeptAnswer({ sealer }: Sealing, run: Whose, body: string): RunOutcome {
  const text = sealer !== undefined && body.startsWith("v1.") ? sealer.open(body, contextOf(run)) : body;
  const kept = JSON.parse(text) as Kept;
  if (kept.kind !== "failed") return kept;
  const { kind, code, message } = kept.error;
  return { ...kept, error: new AppError(kind, code, message) };
}

function keptOf(outcome: RunOutcome): Kept {
  if (outcome.kind !== "failed") return outcome;
  const { kind, code, message } = outcome.error;
  return { ...outcome, error: { kind, code, message } };
}

function statusOf(outcome: RunOutcome): number {
  if (outcome.kind === "failed") return statusOfKind[outcome.error.kind];
  return outcome.kind === "done" ? 200 : 202;
}

const contextOf = ({ tenantId, invocationId }: Whose) => ({
  purpose: "platform answer",
  tenant: tenantId,
  name: invocationId,
});
