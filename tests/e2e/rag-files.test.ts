import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { docxFile } from "../support/docx-file.ts";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { packedStream, pdfFile, pdfWith } from "../support/pdf-file.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const files = {
  "docs/whales.md": "---\nlang: en\n---\n# Whales\n\nWhales are mammals that live in the sea.\n",
  "docs/owls.html": "<title>Owls</title><p>Owls hunt mice in the dark of the night.",
  "rag/zoo.rag.yaml":
    "apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: zoo}\nspec:\n  sources: [{path: docs/**}]\n",
  "evals/zoo.rag-eval.yaml": `pipeline: zoo
k: 1
cases:
  - {query: where do whales live, expect: [{document: docs/whales.md, contains: the sea}]}
  - {query: what do owls hunt, expect: [{document: docs/owls.html}]}
  - {query: who makes honey, expect: [{document: docs/bees.pdf}]}
  - {query: what do ants follow, expect: [{document: docs/ants.docx}]}
`,
};

executableTest("a folder of Markdown, HTML, PDF and DOCX is kept in step, asked and measured", async () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, files);
  const write = (name: string, bytes: Uint8Array) => writeFileSync(join(folder.path, "docs", name), bytes);
  write("bees.pdf", pdfFile({ pages: [["Bees gather nectar and make honey."]] }));
  write("ants.docx", docxFile(["Ants follow trails of scent."]));
  const rag = (...args: string[]) => argosy(folder.path, ["rag", ...args]);

  const synced = await rag("sync", "zoo");
  expect(synced).toMatchObject({ code: 0, stderr: "zoo: 4 new, 0 replaced, 0 unchanged; 4 chunks made.\n" });

  // A command that waits for a job ends with it, not before.
  expect(await rag("reindex", "zoo")).toMatchObject({ code: 0, stderr: "Re-indexed zoo: 4 chunks.\n" });

  // The same over a server's control socket; the server reads the files in a separate process.
  await using _server = await startServer(folder.path);
  expect(await rag("sync", "zoo")).toMatchObject({ code: 0, stdout: "" });
  const { stdout } = await rag("query", "who makes honey", "--pipeline", "zoo", "--top-k", "1", "--json");
  expect(JSON.parse(stdout).results).toEqual([
    {
      text: "Bees gather nectar and make honey.",
      score: expect.any(Number),
      rank_score: expect.any(Number),
      metadata: { pages: 1, source: "docs/bees.pdf", synced_by: "zoo" },
      citation: { document_id: "docs/bees.pdf", chunk: 0, start: 0, end: 34, page: 1 },
    },
  ]);
  const measured = await rag("eval", "evals/zoo.rag-eval.yaml", "--min-recall", "1");
  expect(measured).toMatchObject({ code: 0 });
  expect(measured.stdout).toMatch(/\ndefault +1\.000 +1\.000 +1\.000 +0 of 4\n/);

  write("bomb.pdf", pdfWith([packedStream(Buffer.alloc(1 << 30, 32))]));
  const withBomb = await rag("sync", "zoo");
  expect(withBomb.code).toBe(1);
  expect(withBomb.stderr).toContain("failed  docs/bomb.pdf  Reading the file took more memory than it may");
  expect(withBomb.stderr).toContain("zoo: 0 new, 0 replaced, 4 unchanged, 1 failed");
});
