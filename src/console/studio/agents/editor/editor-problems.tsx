import { Button } from "@mantine/core";
import type { ProblemBody } from "../../../../contracts/error-body.ts";
import { agentEditorTexts as texts } from "../../../texts/studio-agents.ts";

interface EditorProblemsProps {
  problems: readonly ProblemBody[];
  goTo: (line: number, column?: number) => void;
}

/** What is wrong with the text; each leads to its line. */
export function EditorProblems({ problems, goTo }: EditorProblemsProps) {
  return (
    <div aria-live="polite" className="ar-edit-problems">
      {problems.length > 0 && (
        <ul className="ar-agents-findings" aria-label={texts.problems}>
          {problems.map(({ path, message, line, column }) => (
            <li key={`${path} ${line} ${message}`} data-tone="bad">
              {line !== undefined && (
                <Button size="compact-xs" variant="default" onClick={() => goTo(line, column)}>
                  {texts.goToLine(line)}
                </Button>
              )}
              <span className="ar-break">
                {path !== "" && <span className="ar-mono">{path} </span>}
                {message}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
