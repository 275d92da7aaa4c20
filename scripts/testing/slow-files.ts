import { statSync } from "node:fs";
import { join } from "node:path";

/** Files that take longer than ten seconds by themselves, the longest first; the order of all others matters little. */
export const slowFiles = [
  "tests/e2e/console-pages.test.ts",
  "tests/e2e/console-long-lists.test.ts",
  "tests/e2e/console-parts.test.ts",
  "tests/e2e/console-hostile.test.ts",
  "tests/e2e/console-money.test.ts",
  "tests/e2e/console-behaviour.test.ts",
  "tests/docs/fenced-blocks.test.ts",
  "tests/services/daemon/rag/kill-nine.test.ts",
  "tests/cli/silence.test.ts",
  "tests/e2e/console-tenant.test.ts",
  "tests/e2e/console-setup.test.ts",
  "tests/e2e/console-runs.test.ts",
  "tests/conformance/platform/mutated-requests.test.ts",
  "tests/e2e/shared-engines.test.ts",
  "tests/e2e/console-conflicts.test.ts",
  "tests/e2e/console-agents.test.ts",
  "tests/e2e/console-gateway.test.ts",
  "tests/e2e/console-cloud.test.ts",
  "tests/e2e/console-evals.test.ts",
  "tests/e2e/console-dashboard.test.ts",
  "tests/retrieval/stores/lancedb/kill.test.ts",
  "tests/engine/tools/mcp/hostile-servers.test.ts",
  "tests/conformance/platform/isolation-matrix.test.ts",
  "tests/services/platform/runs/campaigns.test.ts",
  "tests/conformance/translator/kill-nine.test.ts",
  "tests/conformance/conversations/kill-nine.test.ts",
  "tests/onnx/onnx-runtime.test.ts",
  "tests/retrieval/files/hostile-files.test.ts",
  "tests/retrieval/chunking/hostile-texts.test.ts",
  "tests/services/daemon/mutated-requests.test.ts",
  "tests/services/platform/billing/simulated-year.test.ts",
  "tests/services/daemon/rag/ingest-and-query.test.ts",
  "tests/conformance/gateway/valid-deliveries.test.ts",
  "tests/clients/go-client.test.ts",
  "tests/e2e/webchat-widget.test.ts",
  "tests/retrieval/embedding/sentence-transformer.test.ts",
  "tests/conformance/vector-stores/load.test.ts",
  "tests/conformance/vector-stores/names.test.ts",
  "tests/conformance/vector-stores/matching.test.ts",
  "tests/cli/rag/rag-eval.test.ts",
  "tests/services/daemon/runtime/tenant-documents.test.ts",
  "tests/compose/platform/assemble-platform.test.ts",
  "tests/cli/platform/platform.test.ts",
  "tests/cli/rag/rag-files.test.ts",
  "tests/e2e/backup.test.ts",
  "tests/kit/html/read-page.test.ts",
  "tests/engine/tools/network/ssrf-corpus.test.ts",
  "tests/e2e/console-newcomer.test.ts",
  "tests/retrieval/stores/lancedb/vector-index.test.ts",
  "tests/services/daemon/channels/valid-deliveries.test.ts",
] as const;

/** Estimates the time of each file, for the order in which they start: the slow ones first, then the largest. */
export function expectedMs(root: string, files: readonly string[]): Record<string, number> {
  const slow: readonly string[] = slowFiles;
  return Object.fromEntries(
    files.map((file) => {
      const at = slow.indexOf(file);
      const size = statSync(join(root, file), { throwIfNoEntry: false })?.size ?? 0;
      return [file, at === -1 ? 1 + Math.round(size / 20) : (slow.length - at) * 10_000];
    }),
  );
}
