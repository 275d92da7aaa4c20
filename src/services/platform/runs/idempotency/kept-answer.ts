import { AppError, type ErrorDetails, type ErrorKind, statusOfKind } from "../../../../kit/app-error.ts";
import { openText, sealText } from "../../../../storage/sealed-text.ts";
import type { Sealer } from "../../../../storage/sealing/seal.ts";
import type { RunOutcome } from "../settlement/run-outcome.ts";
import type { KeptAnswer } from "./idempotency-keys.ts";

/** Stored form of an outcome, as JSON. */
type Kept =
  | Extract<RunOutcome, { kind: "done" | "awaiting" }>
  | {
      kind: "failed";
      status: Extract<RunOutcome, { kind: "failed" }>["status"];
      error: { kind: ErrorKind; code: string; message: string; details: ErrorDetails };
    };

type Sealing = { sealer: Sealer | undefined };
type Whose = { tenantId: string; invocationId: string };

/** Prepares the outcome of a run for replay under its caller's key. It is sealed if there are keys. */
export function keptAnswerOf({ sealer }: Sealing, run: Whose, outcome: RunOutcome): KeptAnswer {
  const text = JSON.stringify(keptOf(outcome));
  return {
    status: statusOf(outcome),
    body: sealText(sealer, text, contextOf(run)),
    isOk: outcome.kind !== "failed",
  };
}

/** Opens a stored outcome. */
export function openKeptAnswer({ sealer }: Sealing, run: Whose, body: string): RunOutcome {
  const kept = JSON.parse(openText(sealer, body, contextOf(run))) as Kept;
  if (kept.kind !== "failed") return kept;
  const { kind, code, message, details } = kept.error;
  return { ...kept, error: new AppError(kind, code, message, { details }) };
}

function keptOf(outcome: RunOutcome): Kept {
  if (outcome.kind !== "failed") return outcome;
  const { kind, code, message, details } = outcome.error;
  return { ...outcome, error: { kind, code, message, details } };
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
