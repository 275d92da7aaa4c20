import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { PausedRun } from "../../../engine/approvals/paused-run.ts";
import type { PendingCall } from "../../../engine/run-state/interceptor.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { KeptRequest } from "./kept-request.ts";
import type { ApprovalRow } from "./schema.ts";

/** A paused run and its request. */
export interface SealedRun {
  request: KeptRequest;
  run: PausedRun;
}

/** Result or error of a resumed run. */
export type Outcome = { result: RunResult } | { error: { code: string; message: string } };

/** Contents of a run by the column that stores them sealed. */
export interface Contents {
  asked: PendingCall;
  run: SealedRun;
  comment: string;
  outcome: Outcome;
}

/** A run whose sealed content is larger can't pause, because a row is written and read in one piece. */
const charactersMax = 16 * 1024 * 1024;

/** Seals and opens the contents of approvals. Each content opens only in its own row and column. */
export interface ApprovalVault {
  /** Throws AppError `approval_too_large`. */
  seal<Name extends keyof Contents>(name: Name, content: Contents[Name], row: RowKey): string;
  /** Returns undefined for an empty column. */
  open<Name extends keyof Contents>(
    name: Name,
    row: RowKey & Pick<ApprovalRow, Name>,
  ): Contents[Name] | undefined;
}

type RowKey = Pick<ApprovalRow, "tenant" | "id">;

export function createApprovalVault(sealer: Sealer): ApprovalVault {
  const contextOf = (name: string, { tenant, id }: RowKey) => ({
    purpose: `approval.${name}`,
    tenant,
    name: id,
  });
  return {
    seal(name, content, row) {
      const text = JSON.stringify(content);
      if (text.length > charactersMax) throw tooLarge();
      return sealer.seal(text, contextOf(name, row));
    },
    open(name, row) {
      const sealed: string | null = row[name];
      return sealed === null ? undefined : JSON.parse(sealer.open(sealed, contextOf(name, row)));
    },
  };
}

function tooLarge(): AppError {
  return new AppError(
    "unprocessable",
    "approval_too_large",
    `The run has more than ${charactersMax / 1024 / 1024} Mi characters of data and can't wait for an approval.`,
    {
      details: {
        hint: "Reduce the output of its tools before the call that needs approval, or send smaller images.",
      },
    },
  );
}
