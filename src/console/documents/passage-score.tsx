import type { ReactNode } from "react";
import { formatPercent } from "../parts/text/format.ts";

interface PassageScoreProps {
  label: string;
  /** 0 to 1. Other values are drawn as the nearest of these. */
  score: number;
  children?: ReactNode;
}

/** The score of a passage, as a bar and as a number. */
export function PassageScore({ label, score, children }: PassageScoreProps) {
  return (
    <div className="ar-passage-score">
      <div className="ar-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(1, Math.max(0, score)) * 100}%` }} />
      </div>
      <span>
        {label} <strong>{formatPercent(score)}</strong>
      </span>
      {children}
    </div>
  );
}
