/**
 * Measures retrieval over a library of 60 documents of eleven formats in six languages, with more than 200 questions
 * (`retrieval/library/`): recall@5 and MRR by search mode, then by language and by format for the hybrid mode, and the share of the words
 * of each format that its reader finds, in their order, also of PDFs that a browser prints, with columns and divided words. The files are
 * read by the real readers and searched by the default embedder.
 *
 *   bun scripts/bench/retrieval.ts [--keep folder]
 *
 * `--keep` leaves the workspace with its files there: `argosy rag eval library.rag-eval.yaml --compare hybrid,vector,text --verbose`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { stringify } from "yaml";
import { builtParts } from "../../src/command/parts.ts";
import type { EvalResult } from "../../src/command/rag-eval.ts";
import { say } from "../../tests/cli/recording-shell.ts";
import { browserMissing, openBrowser } from "../../tests/support/browser.ts";
import { openDocumentReader } from "../../tests/support/document-reader.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";
import { readOptions } from "./options.ts";
import { libraryFile, printedHtml } from "./retrieval/library-file.ts";
import { type LibraryDocument, readLibrary } from "./retrieval/read-library.ts";

const { keep } = readOptions({ keep: "" });
using folder = temporaryFolder();
const workspace = keep === "" ? folder.path : resolve(keep);
const library = readLibrary();

for (const document of library) {
  const path = join(workspace, document.id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, libraryFile(document));
}
const asked = library.flatMap((document) =>
  document.questions.map((question) => ({ document, ...question })),
);
const cases = asked.map(({ document, query, contains }) => ({
  query,
  expect: [{ document: document.id, contains }],
}));
writeFileSync(join(workspace, "library.rag-eval.yaml"), stringify({ collection: "library", k: 5, cases }));

async function argosy(...args: string[]): Promise<Record<string, unknown>> {
  const said = await say(["rag", ...args, "--workspace", workspace, "--json"], {
    folder: workspace,
    parts: builtParts,
  });
  if (said.code !== 0) throw new Error(said.stdout + said.stderr);
  return JSON.parse(said.stdout);
}

const languages = [...new Set(library.map(({ language }) => language))];
await argosy("ingest", ...languages, "--collection", "library");
const { results } = (await argosy("eval", "library.rag-eval.yaml", "--compare", "hybrid,vector,text")) as {
  results: EvalResult[];
};

function mean(result: EvalResult, of: (document: LibraryDocument) => boolean): string {
  const some = result.cases.filter((_, at) => of((asked[at] as (typeof asked)[number]).document));
  const figure = (pick: (one: EvalResult["cases"][number]) => number) =>
    (some.reduce((sum, one) => sum + pick(one), 0) / some.length).toFixed(3);
  return `${figure(({ recall }) => recall)} | ${figure(({ mrr }) => mrr)} | ${some.length}`;
}

console.log(`${library.length} documents, ${asked.length} questions\n`);
console.log("| Searched | Recall@5 | MRR | Questions |\n|---|---:|---:|---:|");
for (const result of results) console.log(`| ${result.mode} | ${mean(result, () => true)} |`);
const [hybrid] = results;
if (hybrid === undefined) throw new Error("nothing was measured");
for (const language of languages)
  console.log(`| hybrid, ${language} | ${mean(hybrid, (document) => document.language === language)} |`);
for (const kind of [...new Set(library.map((document) => document.kind))].sort())
  console.log(`| hybrid, ${kind} | ${mean(hybrid, (document) => document.kind === kind)} |`);

/** The words of a text in order, without case and signs. */
const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The share of `wanted` that stands in `found` in the same order. */
function wordRecall(wanted: readonly string[], found: readonly string[]): number {
  let before = new Uint16Array(found.length + 1);
  for (const word of wanted) {
    const row = new Uint16Array(found.length + 1);
    for (const [at, other] of found.entries())
      row[at + 1] = other === word ? (before[at] ?? 0) + 1 : Math.max(row[at] ?? 0, before[at + 1] ?? 0);
    before = row;
  }
  return wanted.length === 0 ? 1 : (before.at(-1) ?? 0) / wanted.length;
}

const reader = openDocumentReader();
await using browser = browserMissing === undefined ? await openBrowser() : undefined;
const printer = await browser?.newPage();
const shares = new Map<string, number[]>();
for (const document of library) {
  const read = async (file: string | Uint8Array, name: string) => {
    const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
    return (await reader.read({ bytes, name }, new AbortController().signal)).text;
  };
  const isTable = document.kind === "csv" || document.kind === "xlsx";
  // Each row repeats the names of its columns.
  const lines = document.sections.flatMap(({ heading = "", lines: own }) => [
    heading,
    ...(isTable ? own.slice(1) : own),
  ]);
  const add = (kind: string, text: string) => {
    const share = wordRecall(wordsIn(lines.join(" ")), wordsIn(text));
    shares.set(kind, [...(shares.get(kind) ?? []), share]);
  };
  add(document.kind, await read(libraryFile(document), document.id));
  if (printer === undefined || isTable) continue;
  await printer.setContent(printedHtml(document));
  add("pdf by a browser", await read(await printer.pdf(), "printed.pdf"));
}
reader.close();
console.log("\n| Format | Words read | Files |\n|---|---:|---:|");
for (const [kind, some] of [...shares].sort())
  console.log(
    `| ${kind} | ${(some.reduce((sum, one) => sum + one, 0) / some.length).toFixed(3)} | ${some.length} |`,
  );
