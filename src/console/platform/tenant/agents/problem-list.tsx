import type { ProblemBody as Problem } from "../../../../contracts/error-body.ts";
import { editorTexts as texts } from "../../../texts/platform-tenant.ts";

/** What is wrong with a text, in its order; said to who doesn't see the marks in it. */
export function ProblemList({ problems }: { problems: readonly Problem[] }) {
  return (
    <div aria-live="polite">
      {problems.length === 0 ? (
        <p className="ar-soft ar-tn-problems-none">{texts.noProblems}</p>
      ) : (
        <ul className="ar-tn-problems">
          {problems.map(({ path, message, line }) => (
            <li key={`${path} ${line} ${message}`}>
              {line !== undefined && <span className="ar-tn-problem-line">{texts.line(line)}</span>}
              <span>
                <span className="ar-mono">{path}</span> {message}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
