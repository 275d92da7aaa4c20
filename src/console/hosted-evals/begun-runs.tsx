import { Anchor } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import type { HostedEvalRun } from "../../contracts/evals/hosted-evals.ts";
import { formatNumber } from "../parts/text/format.ts";
import { StatusBadge } from "../parts/text/status-badge.tsx";
import { hostedEvalTexts as texts } from "../texts/hosted-evals.ts";
import { type EvalKeys, evalRunTones } from "./eval-host.ts";

interface BegunRunsProps {
  runs: readonly HostedEvalRun[];
  keys: EvalKeys;
  read: (id: string) => Promise<HostedEvalRun>;
  pathOf: (id: string) => string;
  /** Called when a run has ended. */
  ended?: () => void;
}

/** A run under way is read again this often. */
const everyMs = 1000;

/** Follows runs to their ends, one line each. */
export function BegunRuns({ runs, keys, read, pathOf, ended }: BegunRunsProps) {
  const queries = useQueries({
    queries: runs.map((run) => ({
      queryKey: keys.run(run.id),
      queryFn: async () => {
        const seen = await read(run.id);
        if (seen.ended_at !== null) ended?.();
        return seen;
      },
      refetchInterval: ({ state }: { state: { data?: HostedEvalRun | undefined } }) =>
        state.data?.ended_at === null ? everyMs : false,
      initialData: run,
    })),
  });
  return queries.map(
    ({ data: run }) =>
      run !== undefined && (
        <div key={run.id}>
          <StatusBadge tone={evalRunTones[run.status]}>{texts.statuses[run.status]}</StatusBadge>{" "}
          {/* In another tab, because the page may hold a draft that is not stored. */}
          <Anchor href={pathOf(run.id)} target="_blank" className="ar-mono">
            {run.eval}
          </Anchor>{" "}
          {texts.passedOf(formatNumber(run.passed), formatNumber(run.planned))}
        </div>
      ),
  );
}
