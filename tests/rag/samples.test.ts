import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startDaemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const root = join(import.meta.dir, "../..");
const files = readdirSync(join(root, "rag")).sort();

test("each shipped pipeline is loaded, takes what its sources name, and finds it", async () => {
  using folder = temporaryFolder();
  cpSync(join(root, "rag"), join(folder.path, "rag"), { recursive: true });
  await using daemon = await startDaemon({ workspace: folder.path });
  const { pipelines } = (await daemon.call("GET", "/v1/rag/pipelines")).body;
  expect(pipelines.map(({ file, status }: { file: string; status: string }) => [file, status])).toEqual(
    files.map((file) => [`rag/${file}`, "ready"]),
  );
  expect(files).toEqual(["handbook.rag.yaml"]);

  const { spec } = (await daemon.call("GET", "/v1/rag/pipelines/handbook")).body;
  const sources: string[] = spec.sources.map(({ path }: { path: string }) => path);
  const paths = sources.flatMap((path) => [...new Bun.Glob(path).scanSync({ cwd: root })]).sort();
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    const answer = await daemon.call(
      "PUT",
      `/v1/rag/collections/handbook/documents/${encodeURIComponent(path)}`,
      {
        body: readFileSync(join(root, path)),
        headers: { "content-type": "text/markdown" },
      },
    );
    expect(answer.status).toBe(200);
  }
  const questions = [
    ["who has to approve a tool call", "docs/approvals.md"],
    ["replay a recorded run from a cassette", "docs/cassettes.md"],
    ["budget of an agent in dollars", "docs/costs.md"],
  ];
  for (const [query, document] of questions) {
    const { results } = (
      await daemon.call("POST", "/v1/rag/query", { body: { pipeline: "handbook", query } })
    ).body;
    expect(results).toHaveLength(5);
    const found = results.map(({ citation }: { citation: { document_id: string } }) => citation.document_id);
    expect(found).toContain(document);
  }
});
