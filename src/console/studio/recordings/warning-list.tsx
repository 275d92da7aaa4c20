import { Panel } from "../../parts/panel.tsx";
import { recordingTexts as texts } from "../../texts/studio-runs.ts";

/** What else there is to know of a replay; nothing when there is nothing. */
export function WarningList({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Panel title={texts.warnings}>
      <ul className="ar-warnings">
        {warnings.map((warning) => (
          <li key={warning} className="ar-break">
            {warning}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
