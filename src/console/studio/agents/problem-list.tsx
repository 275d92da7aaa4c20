import type { ProblemBody } from "../../../contracts/error-body.ts";
import { agentsTexts as texts } from "../../texts/studio-agents.ts";

/** What is wrong with a manifest, part by part. */
export function ProblemList({ problems }: { problems: readonly ProblemBody[] }) {
  return (
    <ul className="ar-agents-findings">
      {problems.map(({ path, message, line }) => (
        <li key={`${path} ${line} ${message}`} data-tone="bad">
          <span className="ar-break">
            {path !== "" && <span className="ar-mono">{path} </span>}
            {message}
          </span>
          {line !== undefined && <span className="ar-soft">{texts.line(line)}</span>}
        </li>
      ))}
    </ul>
  );
}
