import { StatusBadge } from "../../../parts/status-badge.tsx";
import { agentEditorTexts as texts } from "../../../texts/studio-agents.ts";
import type { ManifestVerdict } from "./use-manifest-check.ts";

/** Shows whether the manifest is valid in its present state. */
export function VerdictBadge({ verdict: { state, problems } }: { verdict: ManifestVerdict }) {
  if (state === "valid") return <StatusBadge tone="good">{texts.valid}</StatusBadge>;
  if (state === "checking") return <StatusBadge tone="plain">{texts.checking}</StatusBadge>;
  if (state === "unchecked") return <StatusBadge tone="warn">{texts.unchecked}</StatusBadge>;
  return <StatusBadge tone="bad">{texts.faulty(problems.length)}</StatusBadge>;
}
