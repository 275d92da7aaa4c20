import { Button } from "@mantine/core";
import type { ProblemBody } from "../../contracts/error-body.ts";
import { partTexts } from "../texts/parts.ts";

interface ProblemListProps {
  problems: readonly ProblemBody[];
  /** Shows a line of the text, which then stands beside the list. */
  goTo?: (line: number, column?: number) => void;
}

/** What is wrong with a text, in its order; nothing when nothing is. */
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
            {message}
          </span>
        </li>
      ))}
    </ul>
  );
}
