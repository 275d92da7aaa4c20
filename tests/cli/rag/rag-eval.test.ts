import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtParts, type Parts } from "../../../src/command/parts.ts";
import type { EvalResult } from "../../../src/command/rag-eval.ts";
import { readGoldenSet } from "../../../src/command/rag-eval.ts";
import type { DaemonClient } from "../../../src/contracts/daemon/client.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { daemonParts, say } from "../recording-shell.ts";

const root = join(import.meta.dir, "../../..");
const folder = temporaryFolder();
const set = join(folder.path, "set.rag-eval.yaml");
afterAll(() => folder[Symbol.dispose]());

describe("eval", () => {
  beforeAll(() => {
    writeFileSync(
      set,
      `collection: zoo
k: 2
cases:
  - {query: whales, expect: [{document: a.md, contains: sea}]}
  - {query: owls, expect: [{document: b.md}, {document: c.md}], filters: {lang: en}}
`,
    );
  });

  const passage = (document: string, text = "") => ({
    text,
    score: 1,
    rank_score: 1,
    metadata: {},
    citation: { document_id: document, chunk: 0, start: 0, end: 1 },
  });
  const asked: unknown[] = [];
  const ragQuery: DaemonClient["ragQuery"] = async (request) => {
    asked.push(request);
    if (request.mode === "text") return { results: [] };
    return {
      results:
        request.query === "whales"
          ? [passage("a.md", "land"), passage("a.md", "the sea")]
          : [passage("b.md"), passage("x.md"), passage("c.md")],
    };
  };
  const parts: Partial<Parts> = {
    ...daemonParts({ ragQuery }),
    readGoldenSet: builtParts.readGoldenSet,
    evaluateRetrieval: builtParts.evaluateRetrieval,
  };
  const evaluate = (...args: string[]) => say(["rag", "eval", set, ...args], { parts });

  test("prints recall, MRR and nDCG", async () => {
    asked.length = 0;
    const said = await evaluate();
    expect(said.code).toBe(0);
    // (1 + 1/2) / 2, (1/2 + 1) / 2, (0.6309 + 1/1.6309) / 2
    expect(said.stdout.split("\n")).toEqual([
      "MODE     RECALL@2  MRR    NDCG@2  CASES WITH MISSES",
      "default  0.750     0.750  0.622   1 of 2",
      "",
    ]);
    expect(asked).toEqual([
      { query: "whales", collection: "zoo", top_k: 2 },
      { query: "owls", collection: "zoo", top_k: 2, filters: { lang: "en" } },
    ]);
  });

  test("--verbose lists what was missed and what came in its place", async () => {
    const { stdout } = await evaluate("--verbose");
    expect(stdout).toContain("missed  owls\n  expected  c.md\n  found     b.md, x.md\n");
    expect(stdout).not.toContain("whales");
  });

  test("--compare puts modes side by side", async () => {
    const { stdout } = await evaluate("--compare", "vector,text");
    expect(stdout.split("\n").slice(1, 3)).toEqual([
      "vector  0.750     0.750  0.622   1 of 2",
      "text    0.000     0.000  0.000   2 of 2",
    ]);
  });

  test("--min-recall fails below it", async () => {
    expect(await evaluate("--min-recall", "0.75")).toMatchObject({ code: 0 });
    const said = await evaluate("--min-recall", "0.76");
    expect(said.code).toBe(1);
    expect(said.stderr).toContain("recall is 0.750, less than 0.76");
  });

  test("--json has every case", async () => {
    const { results, k, collection } = JSON.parse((await evaluate("--json")).stdout);
    expect({ k, collection }).toEqual({ k: 2, collection: "zoo" });
    expect(results[0].cases[1]).toEqual({
      query: "owls",
      recall: 0.5,
      mrr: 1,
      ndcg: expect.closeTo(0.6131, 4),
      found: ["b.md", "x.md"],
      missed: [{ document: "c.md" }],
    });
  });

  test("a set with a fault is refused with its line", async () => {
    const broken = join(folder.path, "broken.rag-eval.yaml");
    writeFileSync(broken, "collection: zoo\ncases:\n  - query: q\n    expected: []\n");
    const said = await say(["rag", "eval", broken], { parts });
    expect(said).toMatchObject({ code: 2, stdout: "" });
    expect(said.stderr).toContain("4:5: cases[0].expected is not a known key; did you mean `expect`?");
  });

  test.each([[["--compare", "vector,vector"]], [["--compare", "psychic"]], [["--min-recall", "2"]]])(
    "%j is called wrongly",
    async (args) => {
      expect(await evaluate(...args)).toMatchObject({ code: 2, stdout: "" });
    },
  );
});

describe("the golden set of the project's own documents", () => {
  const path = join(root, "evals/docs.rag-eval.yaml");

  test("asks for passages that are there, in forty questions and more", async () => {
    const { cases } = await readGoldenSet(path, path);
    expect(cases.length).toBeGreaterThanOrEqual(40);
    const plain = (text: string) => text.replaceAll(/\s+/g, " ").toLowerCase();
    const missing = cases
      .flatMap(({ expect }) => expect)
      .filter(
        ({ document, contains = "" }) =>
          !plain(readFileSync(join(root, document), "utf8")).includes(plain(contains)),
      );
    expect(missing).toEqual([]);
  });

  // The defaults reach 0.73, 0.58 and 0.64. Changed sentences cost some of it, and so do new pages, most of all in the text mode, because they
  // share words with the questions. A lower result is a regression to investigate.
  const floors = { hybrid: 0.67, vector: 0.51, text: 0.57 };

  test("is found by the shipped pipeline with the published quality", async () => {
    const workspace = join(folder.path, "workspace");
    mkdirSync(workspace);
    for (const name of ["docs", "rag", "README.md"])
      cpSync(join(root, name), join(workspace, name), { recursive: true });
    const rag = (...args: string[]) =>
      say(["rag", ...args, "--workspace", workspace], { folder: workspace, parts: builtParts });
    expect(await rag("sync", "handbook")).toMatchObject({ code: 0 });
    const said = await rag("eval", path, "--compare", "hybrid,vector,text", "--json");
    const results: EvalResult[] = JSON.parse(said.stdout).results;
    for (const { mode, recall, mrr, ndcg } of results) {
      console.log(`${mode}: recall@5 ${recall.toFixed(3)}, MRR ${mrr.toFixed(3)}, nDCG@5 ${ndcg.toFixed(3)}`);
      expect(recall).toBeGreaterThanOrEqual(floors[mode as keyof typeof floors]);
    }
    expect(results.map(({ mode }) => mode)).toEqual(["hybrid", "vector", "text"]);
  });
});
