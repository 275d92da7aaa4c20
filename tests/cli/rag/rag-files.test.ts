import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtParts } from "../../../src/command/parts.ts";
import { docxFile, docxOf } from "../../support/docx-file.ts";
import { pdfFile } from "../../support/pdf-file.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { say } from "../recording-shell.ts";

/* One workspace with its store, and the commands over it in a realistic order. */
const folder = temporaryFolder();
const workspace = join(folder.path, "workspace");
const rag = (...args: string[]) =>
  say(["rag", ...args, "--workspace", workspace], { folder: workspace, parts: builtParts });
const json = async (...args: string[]) => JSON.parse((await rag(...args, "--json")).stdout);
const write = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
};

beforeAll(() => {
  write(
    "docs/whales.md",
    "---\nlang: en\nyear: 2026\n---\n# Whales\n\nWhales are mammals that live in the sea.\n",
  );
  write("docs/owls.html", "<title>Owls</title><p>Owls hunt mice in the dark of the night.");
  write(
    "docs/bees.pdf",
    pdfFile({ pages: [["Bees gather nectar and make honey."]], info: { Title: "Bees" } }),
  );
  write(
    "docs/letters/ants.docx",
    docxFile([{ heading: "Ants" }, "Ants follow trails of scent to their nest."]),
  );
  write("docs/logo.svg", "<svg/>");
  write(
    "rag/zoo.rag.yaml",
    "apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: zoo}\nspec:\n  sources: [{path: docs/**}]\n",
  );
});
afterAll(() => folder[Symbol.dispose]());

describe("ingest", () => {
  test("takes files of all kinds, a line for each, and sums up", async () => {
    const said = await rag("ingest", "docs", "--collection", "animals");
    expect(said).toMatchObject({ code: 0 });
    expect(said.stdout.trimEnd().split("\n").sort()).toEqual([
      "created  docs/bees.pdf  1 chunk",
      "created  docs/letters/ants.docx  1 chunk",
      "created  docs/owls.html  1 chunk",
      "created  docs/whales.md  1 chunk",
    ]);
    expect(said.stderr).toBe(
      "animals: 4 new, 0 replaced, 0 unchanged; 4 chunks made.\n1 file of other types skipped.\n",
    );
  });

  test("leaves alone what has not changed, and replaces what has", async () => {
    write("docs/owls.html", "<title>Owls</title><p>Owls turn their heads very far.");
    expect(await json("ingest", "docs", "--collection", "animals")).toEqual({
      collection: "animals",
      created: [],
      replaced: ["docs/owls.html"],
      unchanged: 3,
      chunks: 1,
      deleted: [],
      empty: [],
      failed: [],
      losses: [],
    });
  });

  test("says what a text lacks of its file", async () => {
    const picture =
      '<w:p><w:r><w:t>Look.</w:t></w:r><w:r><w:drawing><a:blip xmlns:a="a"/></w:drawing></w:r></w:p>';
    write("lossy/look.docx", docxOf(picture));
    const said = await rag("ingest", "lossy", "--collection", "lossy");
    expect(said.stderr).toStartWith("note  lossy/look.docx  1 picture not read\n");
    write("lossy/look.docx", docxOf(picture.replace("Look", "See")));
    expect(await json("ingest", "lossy", "--collection", "lossy")).toMatchObject({
      losses: [{ file: "lossy/look.docx", kind: "pictures", count: 1, detail: "1 picture not read" }],
    });
    await rag("delete", "lossy");
  });

  test("continues behind a file that can't be read, and fails", async () => {
    write("docs/a-broken.pdf", "no PDF at all");
    write("docs/a-latin.txt", Uint8Array.of(0x61, 0xff));
    write("docs/z-fine.txt", "Snails carry their houses.");
    const report = await json("ingest", "docs", "--collection", "animals");
    expect(report).toMatchObject({ created: ["docs/z-fine.txt"], unchanged: 4 });
    expect(report.failed).toEqual([
      {
        file: "docs/a-broken.pdf",
        error: "document_unreadable",
        message: expect.stringContaining("sent as application/pdf, but its content has another format"),
      },
      {
        file: "docs/a-latin.txt",
        error: "document_unreadable",
        message: expect.stringContaining("not valid UTF-8"),
      },
    ]);
    const said = await rag("ingest", "docs", "--collection", "animals");
    expect(said).toMatchObject({ code: 1, stdout: "" });
    expect(said.stderr).toContain("failed  docs/a-latin.txt  The file is not valid UTF-8 text");
    expect(said.stderr).toContain("0 new, 0 replaced, 5 unchanged, 2 failed");
  });

  test("--prune deletes the documents of vanished files, and no others", async () => {
    for (const file of ["a-broken.pdf", "a-latin.txt", "z-fine.txt"]) rmSync(join(workspace, "docs", file));
    write("other/cats.txt", "Cats sleep most of the day.");
    expect(await json("ingest", "other", "--collection", "animals")).toMatchObject({
      created: ["other/cats.txt"],
    });
    rmSync(join(workspace, "other/cats.txt"));
    const said = await rag("ingest", "docs", "--collection", "animals", "--include", "**/*.md", "--prune");
    expect(said).toMatchObject({ code: 0, stdout: "deleted  docs/z-fine.txt\n" });
    const { documents } = await json("documents", "animals");
    expect(documents.map(({ id }: { id: string }) => id)).toEqual([
      "docs/bees.pdf",
      "docs/letters/ants.docx",
      "docs/owls.html",
      "docs/whales.md",
      "other/cats.txt",
    ]);
  });

  test("says that a file became empty, and --prune deletes its document", async () => {
    write("more/full.txt", "Foxes live in dens.");
    write("more/soon-empty.txt", "Moles dig tunnels.");
    write("more/always-empty.txt", "");
    await rag("ingest", "more", "--collection", "emptied");
    write("more/soon-empty.txt", "");
    const said = await rag("ingest", "more", "--collection", "emptied");
    expect(said).toMatchObject({ code: 0, stdout: "" });
    expect(said.stderr).toContain(
      "empty  more/soon-empty.txt  The file is empty; its document is unchanged.",
    );
    expect(said.stderr).not.toContain("always-empty");
    expect(await json("ingest", "more/soon-empty.txt", "--collection", "emptied")).toMatchObject({
      empty: ["more/soon-empty.txt"],
      deleted: [],
    });
    expect(await json("ingest", "more", "--collection", "emptied", "--prune")).toMatchObject({
      unchanged: 1,
      deleted: ["more/soon-empty.txt"],
      empty: [],
    });
    const { documents } = await json("documents", "emptied");
    expect(documents.map(({ id }: { id: string }) => id)).toEqual(["more/full.txt"]);
    await rag("delete", "emptied");
  });

  test("takes files as the kind and in the charset that the options name", async () => {
    write("odd/war.log", Buffer.from([0xd7, 0xcf, 0xca, 0xce, 0xc1, 0x20, 0x68, 0x65]));
    write("odd/page.txt", Buffer.from("<p>bitte &uuml;ber</p>"));
    write("odd/bees.pdf", pdfFile({ pages: [["Bees gather nectar."]] }));
    const textOf = async (collection: string, id: string) =>
      (await json("query", "война bitte bees", "--collection", collection, "--top-k", "100")).results.find(
        (one: { citation: { document_id: string } }) => one.citation.document_id === id,
      )?.text;
    expect(
      await json("ingest", "odd/war.log", "odd/bees.pdf", "--collection", "odd", "--charset", "koi8-r"),
    ).toMatchObject({
      created: ["odd/bees.pdf", "odd/war.log"],
      failed: [],
    });
    expect(await textOf("odd", "odd/war.log")).toBe("война he");
    expect(await textOf("odd", "odd/bees.pdf")).toBe("Bees gather nectar.");
    const typed = await json(
      "ingest",
      "odd",
      "--collection",
      "typed",
      "--type",
      "html",
      "--charset",
      "KOI8-R",
    );
    expect(typed.created).toEqual(["odd/page.txt", "odd/war.log"]);
    expect(typed.failed).toMatchObject([{ file: "odd/bees.pdf", error: "document_unreadable" }]);
    expect(await textOf("typed", "odd/page.txt")).toBe("bitte über");
    await rag("delete", "odd");
    await rag("delete", "typed");
  });

  test.each([
    [
      "a kind that nobody knows",
      ["ingest", "docs", "--collection", "c", "--type", "rtf"],
      "one of text, markdown, html",
    ],
    [
      "a charset that nobody knows",
      ["ingest", "docs", "--collection", "c", "--charset", "klingon"],
      "name of a charset",
    ],
    [
      "a charset for a PDF",
      ["ingest", "docs", "--collection", "c", "--type", "application/pdf", "--charset", "utf-8"],
      "--type is pdf",
    ],
    ["no target", ["ingest", "docs"], "--pipeline <name> or --collection <name>"],
    ["a path that isn't there", ["ingest", "gone", "--collection", "c"], "gone does not exist"],
    [
      "--prune without a folder",
      ["ingest", "docs/whales.md", "--collection", "c", "--prune"],
      "--prune is for folders",
    ],
  ])("with %s is called wrongly", async (_, args, message) => {
    const said = await rag(...args);
    expect(said).toMatchObject({ code: 2, stdout: "" });
    expect(said.stderr).toContain(message);
  });

  test("into a pipeline that isn't there fails", async () => {
    expect(await rag("ingest", "docs", "--pipeline", "nowhere")).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("query", () => {
  test("shows passages with their file and position", async () => {
    const said = await rag("query", "what", "do", "bees", "make", "--collection", "animals", "--top-k", "1");
    expect(said.code).toBe(0);
    expect(said.stdout).toMatch(
      /^1\. docs\/bees\.pdf {2}page 1 {2}score 0\.\d{3} {2}chunk 0, characters 0 to 34 {2}Bees\n {3}Bees gather nectar and make honey\.\n\n$/,
    );
  });

  test("--json is the API's answer, and filters hold", async () => {
    const { results } = await json(
      "query",
      "animals",
      "--collection",
      "animals",
      "--filter",
      "lang=en",
      "--filter",
      "year>=2026",
    );
    expect(
      results.map(({ citation }: { citation: { document_id: string } }) => citation.document_id),
    ).toEqual(["docs/whales.md"]);
    expect(results[0].metadata).toEqual({
      lang: "en",
      year: 2026,
      title: "Whales",
      source: "docs/whales.md",
    });
  });

  test("says so when nothing fits", async () => {
    const said = await rag("query", "whales", "--collection", "animals", "--filter", "lang=es");
    expect(said).toMatchObject({ code: 0, stdout: "", stderr: "No passage fits.\n" });
  });

  test.each([
    [["query", "x"], 2, "--pipeline <name> or --collection <name>"],
    [["query", "x", "--collection", "animals", "--top-k", "-1"], 2, "whole number from 1 to 1000"],
    [["query", "x", "--collection", "animals", "--mode", "psychic"], 2, "hybrid, vector, text"],
    [["query", "x", "--collection", "animals", "--filter", "lang"], 2, "It must be like lang=en"],
    [["query", "x", "--collection", "gone"], 1, "gone"],
  ])("%j ends with %p", async (args, code, message) => {
    const said = await rag(...args);
    expect(said).toMatchObject({ code, stdout: "" });
    expect(said.stderr).toContain(message);
  });
});

describe("sync", () => {
  test("keeps a pipeline in step with its sources", async () => {
    expect(await json("sync", "zoo")).toMatchObject({
      collection: "zoo",
      failed: [],
      losses: [],
      deleted: [],
      unchanged: 0,
    });
    write("docs/newts.txt", "Newts live in ponds.");
    rmSync(join(workspace, "docs/bees.pdf"));
    expect(await json("sync", "zoo")).toMatchObject({
      created: ["docs/newts.txt"],
      replaced: [],
      unchanged: 3,
      deleted: ["docs/bees.pdf"],
    });
  });

  test("leaves alone what came in another way", async () => {
    write("other/dogs.txt", "Dogs bark.");
    await rag("ingest", "other", "--pipeline", "zoo");
    expect(await json("sync", "zoo")).toMatchObject({ unchanged: 4, deleted: [] });
    expect((await json("documents", "zoo")).documents).toHaveLength(5);
  });

  describe("of two pipelines with one collection", () => {
    const pipeline = (name: string, ...paths: string[]) =>
      write(
        `rag/${name}.rag.yaml`,
        JSON.stringify({
          apiVersion: "platform/v1",
          kind: "RAGPipeline",
          metadata: { name },
          spec: { collection: "shared", sources: paths.map((path) => ({ path })) },
        }),
      );
    const owners = async () => {
      const { documents } = await json("documents", "shared");
      return documents.map(({ id, metadata }: { id: string; metadata: { synced_by: string } }) => [
        id,
        metadata.synced_by,
      ]);
    };

    test("replaces no document of the other, and deletes none that the other names", async () => {
      for (const name of ["both", "east", "west"]) write(`lands/${name}.txt`, `The land named ${name}.`);
      pipeline("east", "lands/both.txt", "lands/east.txt");
      pipeline("west", "lands/both.txt", "lands/west.txt");
      expect(await json("sync", "east")).toMatchObject({ created: ["lands/both.txt", "lands/east.txt"] });
      expect(await json("sync", "west")).toMatchObject({
        created: ["lands/west.txt"],
        replaced: [],
        unchanged: 1,
      });
      for (const name of ["east", "west"])
        expect(await json("sync", name)).toMatchObject({
          created: [],
          replaced: [],
          unchanged: 2,
          deleted: [],
        });

      pipeline("east", "lands/east.txt");
      expect(await json("sync", "east")).toMatchObject({ unchanged: 1, deleted: [] });
      // From now on it is the other's.
      expect(await json("sync", "west")).toMatchObject({ replaced: ["lands/both.txt"], unchanged: 1 });
      expect(await json("sync", "west")).toMatchObject({ replaced: [], unchanged: 2 });
      expect(await owners()).toEqual([
        ["lands/both.txt", "west"],
        ["lands/east.txt", "east"],
        ["lands/west.txt", "west"],
      ]);
    });

    test("deletes what neither names", async () => {
      pipeline("west", "lands/west.txt");
      expect(await json("sync", "east")).toMatchObject({ deleted: [] });
      expect(await json("sync", "west")).toMatchObject({ deleted: ["lands/both.txt"] });
      for (const name of ["east", "west"]) rmSync(join(workspace, `rag/${name}.rag.yaml`));
      await rag("delete", "shared");
    });
  });

  test("of a pipeline that names none fails", async () => {
    write("rag/bare.rag.yaml", "apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: bare}\n");
    const said = await rag("sync", "bare");
    expect(said).toMatchObject({ code: 2, stdout: "" });
    expect(said.stderr).toContain("names no sources");
  });
});

describe("collections", () => {
  test("are listed, indexed anew and deleted", async () => {
    const listed = await rag("collections");
    expect(listed.stdout).toMatch(/^COLLECTION {2,}DOCUMENTS {2}CHUNKS {2}STATUS/);
    expect(listed.stdout).toMatch(/\nzoo +5 +5 +ready .* zoo\n/);
    expect(await rag("reindex", "zoo")).toMatchObject({
      code: 0,
      stderr: "Re-indexed zoo: 5 chunks.\n",
    });
    expect((await rag("jobs")).stdout).toMatch(/ reindex {2}zoo +completed {2}5\/5 /);
    expect(await rag("delete", "zoo", "docs/newts.txt", "other/dogs.txt")).toMatchObject({
      code: 0,
      stderr: "docs/newts.txt is deleted.\nother/dogs.txt is deleted.\n",
    });
    expect(await rag("delete", "zoo", "docs/newts.txt")).toMatchObject({ code: 1 });
    expect(await json("delete", "zoo")).toMatchObject({ status: "deleted", collection: "zoo", documents: 3 });
    expect((await json("collections")).collections.map(({ name }: { name: string }) => name)).toEqual([
      "animals",
    ]);
  });

  test("show as many documents as are asked for", async () => {
    const said = await rag("documents", "animals", "--limit", "2");
    expect(said.stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(said.stderr).toContain("more than 2 documents");
    expect((await json("documents", "animals", "--limit", "2")).next).toBeString();
  });
});
