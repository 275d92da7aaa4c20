import type { InvocationStatus } from "../../contracts/platform/observability.ts";
import { StatusBadge, type Tone } from "../parts/text/status-badge.tsx";
import { invocationTexts } from "../texts/platform/operator.ts";

const tones: Readonly<Record<InvocationStatus, Tone>> = {
  in_progress: "accent",
  awaiting_approval: "warn",
  ok: "good",
  error: "bad",
  timeout: "bad",
  interrupted: "bad",
  cancelled: "plain",
  rejected: "warn",
};

/** The status of a run. */
export function InvocationBadge({ status }: { status: InvocationStatus }) {
  return <StatusBadge tone={tones[status]}>{invocationTexts.status[status]}</StatusBadge>;
}
