import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { scoreTexts as texts } from "../texts/parts.ts";
import { formatPercent } from "./text/format.ts";

/** The newest complete run of an eval that asked a version. */
export interface EvalScore {
  eval: string;
  /** Pass rate, 0 to 1. */
  rate: number;
  /** Page of the run. */
  href: string;
}

interface ScoredRun {
  id: string;
  eval: string;
  status: string;
  pass_rate: number | null;
}

/** Returns the scores of each version: of each eval, the newest complete run. `runs` are newest first; `versionOf` may find none. */
export function scoresByVersion<Run extends ScoredRun>(
  runs: readonly Run[],
  versionOf: (run: Run) => string | undefined,
  pathOf: (id: string) => string,
): ReadonlyMap<string, readonly EvalScore[]> {
  const found = new Map<string, EvalScore[]>();
  for (const run of runs) {
    const version = versionOf(run);
    if (version === undefined || run.status !== "complete" || run.pass_rate === null) continue;
    const scores = found.get(version) ?? [];
    if (scores.some((score) => score.eval === run.eval)) continue;
    found.set(version, [...scores, { eval: run.eval, rate: run.pass_rate, href: pathOf(run.id) }]);
  }
  return found;
}

const shownMax = 3;

/** The scores of a version, with links to the runs. */
export function EvalScores({ scores = [] }: { scores: readonly EvalScore[] | undefined }) {
  if (scores.length === 0) return <span className="ar-soft">–</span>;
  return (
    <>
      {scores.slice(0, shownMax).map((score) => (
        <div key={score.eval}>
          <Anchor component={Link} href={score.href} className="ar-break">
            {texts.score(score.eval, formatPercent(score.rate))}
          </Anchor>
        </div>
      ))}
      {scores.length > shownMax && <div className="ar-soft">{texts.more(scores.length - shownMax)}</div>}
    </>
  );
}
