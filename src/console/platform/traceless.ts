import type { InvocationStatus } from "../../contracts/platform/observability.ts";

/** Runs without steps: those that didn't begin, and those that have not ended. */
export const traceless: ReadonlySet<InvocationStatus> = new Set([
  "rejected",
  "in_progress",
  "awaiting_approval",
]);
