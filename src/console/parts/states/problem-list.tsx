import { Button } from "@mantine/core";
import type { ProblemBody } from "../../../contracts/error-body.ts";
import { partTexts } from "../../texts/parts.ts";
import { codeWords } from "../text/code-words.tsx";

interface ProblemListProps {
  problems: readonly ProblemBody[];
  /** Scrolls to a line of the text next to the list. */
  goTo?: (line: number, column?: number) => void;
}

/** The problems of a text, in its order; renders nothing if there are none. */
export function ProblemList({ problems, goTo }: ProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <ul className="ar-findings" aria-label={partTexts.problems}>
      {problems.map(({ path, message, line, column }) => (
        <li key={`${path} ${line} ${message}`} data-tone="bad">
          {line !== undefined &&
            (goTo === undefined ? (
              <span className="ar-soft">{partTexts.line(line)}</span>
            ) : (
              <Button size="compact-xs" variant="default" onClick={() => goTo(line, column)}>
                {partTexts.line(line)}
              </Button>
            ))}
          <span className="ar-break">
            {path !== "" && <span className="ar-mono">{path} </span>}
            {codeWords(message)}
          </span>
        </li>
      ))}
    </ul>
  );
}
