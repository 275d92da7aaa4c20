import { readFile } from "node:fs/promises";
import type { DaemonClient } from "../contracts/daemon/client.ts";
import type { QueryRequest } from "../contracts/daemon/rag/rag.ts";
import { AppError } from "../kit/app-error.ts";
import { type GoldenCase, type RagEvalFile, ragEvalFileKind } from "../manifest/files/rag-eval-file.ts";
import { parseFile } from "../manifest/schema/manifest-kind.ts";
import {
  judgeRanking,
  meanMetrics,
  type RankingMetrics,
  rankingMetrics,
} from "../retrieval/eval/ranking-metrics.ts";

export type QueryMode = NonNullable<QueryRequest["mode"]>;

export interface EvalOptions {
  /** Undefined for the pipeline's own mode. */
  mode: QueryMode | undefined;
  signal: AbortSignal;
  /** Called after each case. */
  onCase?: () => void;
}

/** Result of one search mode on a golden set. */
export interface EvalResult extends EvalFigures {
  mode: QueryMode | "default";
  cases: RagCaseResult[];
}

export interface EvalFigures {
  recall: number;
  mrr: number;
  ndcg: number;
}

export interface RagCaseResult extends EvalFigures {
  query: string;
  /** Documents of the answer, best passage first. */
  found: string[];
  /** Expected documents that were not found. */
  missed: GoldenCase["expect"];
}

/** Number of concurrent queries. */
const IN_FLIGHT = 4;

/** Reads the golden set in a file. Throws AppError `usage` or `invalid_manifest` with file, line and column. */
export async function readGoldenSet(path: string, shown: string): Promise<RagEvalFile> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (thrown) {
    const reason = thrown instanceof TypeError ? "is not valid UTF-8" : "can't be read";
    throw new AppError("invalid", "usage", `${shown} ${reason}.`, { cause: thrown });
  }
  // Questions may mention variables, which are not substituted.
  return parseFile(ragEvalFileKind, text, shown, (name) => `\${${name}}`);
}

/** Sends every question of a golden set and measures the results. Throws the errors of the queries. */
export async function evaluateRetrieval(
  client: Pick<DaemonClient, "ragQuery">,
  set: RagEvalFile,
  { mode, signal, onCase = () => {} }: EvalOptions,
): Promise<EvalResult> {
  const results: { metrics: RankingMetrics; result: RagCaseResult }[] = [];
  const waiting = set.cases.entries();
  const askNext = async () => {
    for (const [index, golden] of waiting) {
      const query = requestFor(set, golden, mode);
      const { results: passages } = await client.ragQuery(query, signal);
      results[index] = judged(golden, passages.slice(0, set.k).map(judgedPassage), set.k);
      onCase();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, askNext));
  return {
    mode: mode ?? "default",
    ...figures(meanMetrics(results.map(({ metrics }) => metrics))),
    cases: results.map(({ result }) => result),
  };
}

function requestFor(set: RagEvalFile, golden: GoldenCase, mode: QueryMode | undefined): QueryRequest {
  const { pipeline, collection, k } = set;
  return {
    query: golden.query,
    top_k: k,
    ...(pipeline !== undefined && { pipeline }),
    ...(collection !== undefined && { collection }),
    ...(golden.filters !== undefined && { filters: golden.filters }),
    ...(mode !== undefined && { mode }),
  };
}

const judgedPassage = ({ text, citation }: { text: string; citation: { document_id: string } }) => ({
  document: citation.document_id,
  text,
});

function judged(golden: GoldenCase, passages: readonly { document: string; text: string }[], k: number) {
  const hits = judgeRanking(passages, golden.expect);
  const metrics = rankingMetrics(hits, golden.expect.length, k);
  const result: RagCaseResult = {
    query: golden.query,
    ...figures(metrics),
    found: passages.map(({ document }) => document),
    missed: golden.expect.filter((_, index) => !hits.includes(index)),
  };
  return { metrics, result };
}

function figures({ recall, reciprocalRank, ndcg }: RankingMetrics): EvalFigures {
  return { recall, mrr: reciprocalRank, ndcg };
}
