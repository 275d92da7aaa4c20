import type { RecordedRequest } from "../../../contracts/daemon/cassettes/recorded-call.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { traceTexts as texts } from "../../texts/studio-runs.ts";

/** The tools offered to a model, as it received them. */
export function OfferedTools({ tools }: Pick<RecordedRequest, "tools">) {
  if (tools.length === 0) return null;
  return (
    <details className="ar-step">
      <summary>{texts.toolsOffered(tools.length)}</summary>
      <ul className="ar-offered">
        {tools.map(({ name, description, parameters }) => (
          <li key={name}>
            <div className="ar-mono ar-break">{name}</div>
            <div className="ar-soft ar-break">{description}</div>
            <JsonView value={parameters} label={`${name}: ${texts.parameters}`} maxHeight={180} />
          </li>
        ))}
      </ul>
    </details>
  );
}
