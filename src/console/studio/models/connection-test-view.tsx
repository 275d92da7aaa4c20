import type { ProviderTrialResult } from "../../../contracts/daemon/models/stored-providers.ts";
import { formatDuration } from "../../parts/text/format.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { providerTexts as texts } from "../../texts/studio/providers.ts";

const shownMax = 12;

/** The result of a connection test: how long the provider took and what it has, or why it failed. */
export function ConnectionTestView({ result }: { result: ProviderTrialResult }) {
  const { ok, latency_ms, models, message, hint } = result;
  return (
    <div role="status" className="ar-connection-test">
      <StatusBadge tone={ok ? "good" : "bad"}>{ok ? texts.works : texts.fails}</StatusBadge>{" "}
      <span>{texts.took(formatDuration(latency_ms))}</span>
      {models !== undefined && (
        <p className="ar-soft ar-flat ar-break">
          {texts.lists(models.length)} {models.slice(0, shownMax).join(", ")}
          {models.length > shownMax && " …"}
        </p>
      )}
      {message !== undefined && <p className="ar-flat ar-break">{message}</p>}
      {hint !== undefined && <p className="ar-soft ar-flat ar-break">{hint}</p>}
    </div>
  );
}
