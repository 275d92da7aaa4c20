import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { ManifestVersion } from "../../../contracts/daemon/agent-versions.ts";
import type { EvalRunBrief } from "../../../contracts/daemon/evals/eval-runs.ts";
import { measures } from "../../charts/measure.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { formatInstant, formatPercent } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { versionChanges, versionOf } from "./run-versions.ts";

/** Runs that have a score, oldest first. */
const scored = (runs: readonly EvalRunBrief[]) =>
  runs.flatMap((run) => (run.pass_rate === null ? [] : [{ run, score: run.pass_rate }])).reverse();

/** The scores of the last runs as a small line. */
export function Trend({ runs }: { runs: readonly EvalRunBrief[] }) {
  const points = scored(runs);
  if (points.length === 0) return <span className="ar-soft">–</span>;
  const step = points.length === 1 ? 0 : 96 / (points.length - 1);
  const place = points.map(({ score }, at) => `${2 + at * step},${20 - score * 16}`);
  const label = texts.trendOf(points.map(({ score }) => formatPercent(score)).join(", "));
  return (
    <svg className="ar-trend" viewBox="0 0 100 22" role="img" aria-label={label}>
      {points.length > 1 && <polyline points={place.join(" ")} />}
      <circle cx={2 + (points.length - 1) * step} cy={20 - (points.at(-1)?.score ?? 0) * 16} r="2" />
    </svg>
  );
}

interface ScoreChartProps {
  runs: readonly EvalRunBrief[];
  /** Versions of the agent's manifest. */
  versions: readonly ManifestVersion[];
}

/** The score of each run over time, with a mark where the agent's version changed. The list of runs has the same numbers. */
export function ScoreChart({ runs, versions }: ScoreChartProps) {
  const points = scored(runs);
  if (points.length < 2) return null;
  const changes = versionChanges(
    points.map(({ run }) => run),
    versions,
  );
  const labelOf = (run: EvalRunBrief) =>
    `${formatInstant(run.started_at)} · ${versionOf(run, versions).label}`;
  return (
    <Panel title={texts.scoreOverTime}>
      <TimeChart
        label={texts.scoreOverTime}
        kind="area"
        height={160}
        data={points.map(({ run, score }) => ({ label: labelOf(run), score }))}
        series={[{ name: "score", label: texts.mean, color: "sea.6" }]}
        measure={measures.share}
        max={1}
        marks={changes.map(({ run, version }) => ({ label: labelOf(run), text: version.short }))}
      />
      {changes.length > 0 && (
        <ul className="ar-version-changes" aria-label={texts.versionChanges}>
          {changes.map(({ run, before, version, href }) => (
            <li key={run.id}>
              <Anchor component={Link} href={href} size="sm">
                {version.label}
              </Anchor>{" "}
              <span className="ar-soft">
                {texts.scoreMoved(formatPercent(before.pass_rate ?? 0), formatPercent(run.pass_rate ?? 0))}
                {" · "}
                <Instant iso={run.started_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
