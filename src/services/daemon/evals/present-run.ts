import type {
  EvalComparisonPage,
  EvalGrid,
  EvalResultRow,
  EvalRunBrief,
  EvalRunStatus,
} from "../../../contracts/daemon/evals/eval-runs.ts";
import type { CaseResult, EvalComparison, EvalRunHead } from "../../../contracts/evals/eval-run.ts";
import { caseGrid, type GridCell } from "../../../evals/comparing/case-grid.ts";
import type { RunResults } from "./eval-runs.ts";

interface Figures {
  status: EvalRunStatus;
  finished: number;
  failed: number;
  passRate: number | null;
  spentUsd: number;
  unpriced: number;
  endedAt?: string;
  error?: { error: string; message: string };
}

/** Presents a run in a list. */
export function presentRun(head: EvalRunHead, figures: Figures): EvalRunBrief {
  const { id, eval: name, agent, agent_checksum, mode, started_at, targets, cases, repeat } = head;
  const { status, finished, failed, passRate, spentUsd, unpriced, endedAt, error } = figures;
  return {
    id,
    eval: name,
    agent,
    agent_checksum,
    ...(head.agent_manifest !== undefined && { agent_manifest: head.agent_manifest }),
    mode,
    status,
    started_at,
    ...(endedAt !== undefined && { ended_at: endedAt }),
    targets: [...targets],
    cases,
    repeat,
    planned: targets.length * cases * repeat,
    finished,
    failed,
    pass_rate: passRate,
    spent_usd: spentUsd,
    unpriced,
    ...(head.budget_usd !== undefined && { budget_usd: head.budget_usd }),
    ...(error && { error }),
  };
}

/** Length of a text in a list. */
const cutChars = 200;

const cut = (text: string, most = cutChars) => {
  if (text.length <= most) return text;
  // Never ends in half a character.
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
};

/** Presents a result in a list. */
export function presentRow(result: CaseResult, number: number): EvalResultRow {
  const last = result.turns.at(-1);
  const failed = result.checks.find(({ passed, informative }) => !passed && informative !== true);
  return {
    number,
    case: result.case,
    target: result.target,
    repeat: result.repeat,
    passed: result.passed,
    query: cut(last?.query ?? ""),
    response: cut(last?.response ?? ""),
    ...(failed && { reason: cut(`${failed.check}: ${failed.reason ?? "failed"}`) }),
    tokens: result.tokens,
    cost_usd: result.cost_usd,
    latency_ms: result.latency_ms,
    ...(last?.trace_id !== undefined && { trace_id: last.trace_id }),
  };
}

export interface ResultSelection {
  state?: "failed" | "passed" | undefined;
  search?: string | undefined;
  target?: string | undefined;
}

/** Results that match, with their numbers in the run. */
export function selectResults(
  results: readonly { result: CaseResult; number: number }[],
  { state, search, target }: ResultSelection,
): { result: CaseResult; number: number }[] {
  const wanted = search?.toLowerCase() ?? "";
  return results.filter(({ result }) => {
    if (state !== undefined && result.passed !== (state === "passed")) return false;
    if (target !== undefined && result.target !== target) return false;
    return wanted === "" || hasText(result, wanted);
  });
}

const hasText = ({ case: id, turns }: CaseResult, wanted: string) =>
  id.toLowerCase().includes(wanted) ||
  turns.some(
    ({ query, response }) => query.toLowerCase().includes(wanted) || response.toLowerCase().includes(wanted),
  );

/** Length of an answer in a grid. */
const cellChars = 1000;

/** Presents the cases of a run that match, on one page. */
export function presentGrid(
  { head, results }: { head: EvalRunHead; results: RunResults["results"] },
  { search = "", differing, offset, limit }: GridSelection,
): EvalGrid {
  const wanted = search.toLowerCase();
  const matching = caseGrid(results, head.targets).filter(
    ({ case: id, query, cells }) =>
      (differing !== "true" || new Set(cells.map(({ passed, of }) => passed / of)).size > 1) &&
      [id, query, ...cells.map(({ response }) => response)].some((text) =>
        text.toLowerCase().includes(wanted),
      ),
  );
  return {
    targets: head.targets,
    cases: matching.slice(offset, offset + limit).map(({ query, expected, cells, ...row }) => ({
      ...row,
      query: cut(query),
      ...(expected !== undefined && { expected: cut(expected, cellChars) }),
      cells: cells.map(presentCell),
    })),
    total: matching.length,
  };
}

export interface GridSelection {
  search?: string | undefined;
  /** Only cases whose targets fare differently. */
  differing?: "true" | "false" | undefined;
  offset: number;
  limit: number;
}

/** Presents a cell of a grid, with its answer cut. */
export const presentCell = ({
  target,
  number,
  ...side
}: GridCell): EvalGrid["cases"][number]["cells"][number] => ({
  target,
  number,
  ...presentSide({ ...side, response: cut(side.response, cellChars) }),
});

/** Presents the changes of a comparison on one page. */
export function presentComparison(
  { counts, test, changes }: EvalComparison,
  runs: { before: EvalRunBrief; after: EvalRunBrief },
  {
    change,
    search = "",
    offset,
    limit,
  }: { change?: string | undefined; search?: string | undefined; offset: number; limit: number },
): EvalComparisonPage {
  const wanted = search.toLowerCase();
  const matching = changes.filter(
    (one) => (change === undefined || one.change === change) && one.case.toLowerCase().includes(wanted),
  );
  return {
    ...runs,
    counts,
    test,
    changes: matching.slice(offset, offset + limit).map((one) => ({
      ...one,
      ...(one.before && { before: presentSide(one.before) }),
      ...(one.after && { after: presentSide(one.after) }),
    })),
    total: matching.length,
  };
}

function presentSide({ failed, ...side }: NonNullable<EvalComparison["changes"][number]["before"]>) {
  return {
    ...side,
    failed: failed.map(({ check, kind, reason }) => ({
      check,
      kind,
      ...(reason !== undefined && { reason }),
    })),
  };
}
