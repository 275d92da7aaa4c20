import { Panel } from "../../parts/layout/panel.tsx";
import { recordingTexts as texts } from "../../texts/studio/runs.ts";

/** Warnings of a replay; renders nothing if there are none. */
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
