import { type Static, Type } from "@sinclair/typebox";
import { PlatformRunResult } from "./runs.ts";

/** A run that waits for a person's decision on a call. */
export const RunAwaiting = Type.Object({
  invocation_id: Type.String(),
  status: Type.Literal("awaiting_approval"),
  approval_id: Type.String(),
  session_id: Type.String(),
});
export type RunAwaiting = Static<typeof RunAwaiting>;

/** Answer to a repeated `Idempotency-Key` while its run is in progress. */
export const RunInProgress = Type.Object({
  invocation_id: Type.String(),
  status: Type.Literal("in_progress"),
  session_id: Type.String(),
});
export type RunInProgress = Static<typeof RunInProgress>;

/** Terminal frames of a stream: exactly one ends it, after the runtime's frames. */
export const RunDoneFrame = Type.Composite([Type.Object({ type: Type.Literal("done") }), PlatformRunResult]);
export type RunDoneFrame = Static<typeof RunDoneFrame>;

export const RunErrorFrame = Type.Object({
  type: Type.Literal("error"),
  invocation_id: Type.String(),
  status: Type.Union([
    Type.Literal("error"),
    Type.Literal("timeout"),
    Type.Literal("cancelled"),
    Type.Literal("interrupted"),
  ]),
  error_code: Type.String(),
  message: Type.String(),
});
export type RunErrorFrame = Static<typeof RunErrorFrame>;

export const RunApprovalFrame = Type.Composite([
  Type.Object({ type: Type.Literal("approval_required") }),
  RunAwaiting,
]);
export type RunApprovalFrame = Static<typeof RunApprovalFrame>;
