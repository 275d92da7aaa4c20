import { type MetricRegistry, metricsIn } from "../../../kit/metrics.ts";
import type { RestMetrics } from "../metrics/rest-metrics.ts";

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of documents and searches. No label contains the name of a collection or document. */
export interface RagMetrics {
  ingested(outcome: "created" | "replaced" | "unchanged", chunks: number): void;
  failed(): void;
  /** Records a search by its requested mode; `default` is the mode of its pipeline. */
  searched(mode: "hybrid" | "vector" | "text" | "default", ok: boolean, ms: number): void;
}

export function createRagMetrics(registry: MetricRegistry, rest: RestMetrics): RagMetrics {
  const { counter, histogram } = metricsIn(registry);
  const documents = counter(
    "platform_rag_documents_total",
    "Documents that were ingested, by what became of them.",
    ["outcome"],
  );
  const chunks = counter("platform_rag_chunks_total", "Chunks that were embedded and stored.");
  const searches = histogram(
    "platform_rag_query_seconds",
    "Duration of searches in collections.",
    secondsBuckets,
    ["mode", "status"],
  );
  return {
    ingested(outcome, made) {
      documents.inc({ outcome });
      rest.count("rag.documents");
      if (outcome === "unchanged") return;
      chunks.inc(made);
      rest.count("rag.chunks", made);
    },
    failed() {
      documents.inc({ outcome: "failed" });
      rest.count("rag.failures");
    },
    searched(mode, ok, ms) {
      searches.observe({ mode, status: ok ? "ok" : "error" }, ms / 1000);
      rest.count("rag.queries");
      rest.observe("rag.query_ms", ms);
    },
  };
}
