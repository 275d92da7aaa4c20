import { statSync } from "node:fs";
import { join } from "node:path";

/** Files that take longer than ten seconds by themselves, the longest first; the order of all others matters little. */
export const slowFiles = [
  "tests/e2e/console-pages.test.ts",
  "tests/e2e/console-long-lists.test.ts",
  "tests/e2e/console-parts.test.ts",
  "tests/campaign/console-hostile.test.ts",
  "tests/e2e/console-money.test.ts",
  "tests/e2e/console-behaviour.test.ts",
  "tests/e2e/docs/fenced-blocks.test.ts",
  "tests/campaign/services/daemon/rag/kill-nine.test.ts",
  "tests/e2e/cli/silence.test.ts",
  "tests/e2e/console-tenant.test.ts",
  "tests/e2e/console-setup.test.ts",
  "tests/e2e/console-runs.test.ts",
  "tests/campaign/conformance/platform/mutated-requests.test.ts",
  "tests/e2e/shared-engines.test.ts",
  "tests/e2e/console-conflicts.test.ts",
  "tests/e2e/console-agents.test.ts",
  "tests/e2e/console-gateway.test.ts",
  "tests/e2e/console-cloud.test.ts",
  "tests/e2e/console-evals.test.ts",
  "tests/e2e/console-dashboard.test.ts",
  "tests/campaign/retrieval/stores/lancedb/kill.test.ts",
  "tests/campaign/engine/tools/mcp/hostile-servers.test.ts",
  "tests/campaign/conformance/platform/isolation-matrix.test.ts",
  "tests/campaign/services/platform/runs/campaigns.test.ts",
  "tests/campaign/conformance/translator/kill-nine.test.ts",
  "tests/campaign/conformance/conversations/kill-nine.test.ts",
  "tests/e2e/onnx/onnx-runtime.test.ts",
  "tests/campaign/retrieval/files/hostile-files.test.ts",
  "tests/campaign/retrieval/chunking/hostile-texts.test.ts",
  "tests/campaign/services/daemon/mutated-requests.test.ts",
  "tests/campaign/services/platform/billing/simulated-year.test.ts",
  "tests/e2e/services/daemon/rag/ingest-and-query.test.ts",
  "tests/campaign/conformance/gateway/valid-deliveries.test.ts",
  "tests/e2e/clients/go-client.test.ts",
  "tests/e2e/webchat-widget.test.ts",
  "tests/retrieval/embedding/sentence-transformer.test.ts",
  "tests/conformance/vector-stores/load.test.ts",
  "tests/conformance/vector-stores/names.test.ts",
  "tests/conformance/vector-stores/matching.test.ts",
  "tests/cli/rag/rag-eval.test.ts",
  "tests/services/daemon/tenant-api/tenant-documents.test.ts",
  "tests/compose/platform/assemble-platform.test.ts",
  "tests/cli/platform/platform.test.ts",
  "tests/cli/rag/rag-files.test.ts",
  "tests/e2e/smoke/backup.test.ts",
  "tests/kit/html/read-page.test.ts",
  "tests/engine/tools/network/ssrf-corpus.test.ts",
  "tests/e2e/smoke/console-newcomer.test.ts",
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
