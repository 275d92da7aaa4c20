import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type DocumentSearch,
  findDocuments,
  findSources,
  hasDocumentFile,
  readDocumentFile,
} from "../../src/command/document-files.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const folder = temporaryFolder();
const workspace = join(folder.path, "workspace");
const outside = join(folder.path, "notes");

beforeAll(() => {
  const write = (path: string, text = "text") => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const path of ["a.md", "docs/b.md", "docs/deep/c.PDF", "docs/d.html", "docs/e.svg", "docs/empty.md"]) {
    write(join(workspace, path), path.endsWith("empty.md") ? "" : "text");
  }
  for (const path of [".argosy/x.md", "docs/.hidden.md", "node_modules/p/README.md"])
    write(join(workspace, path));
  write(join(outside, "n.txt"));
  write(join(outside, "sub/m.md"));
  symlinkSync(join(workspace, "docs/b.md"), join(workspace, "docs/link.md"));
  symlinkSync(join(outside, "n.txt"), join(workspace, "docs/escape.txt"));
  symlinkSync(join(workspace, "nowhere.md"), join(workspace, "docs/broken.md"));
  symlinkSync(workspace, join(workspace, "docs/loop"));
});
afterAll(() => folder[Symbol.dispose]());

const search = (paths: string[], more: Partial<DocumentSearch> = {}) =>
  findDocuments({ workspace, folder: workspace, paths, include: [], exclude: [], ...more });
const ids = ({ entries }: { entries: readonly { id: string }[] }) => entries.map(({ id }) => id);

describe("documents", () => {
  test("of a folder are all in it that can be read as such", async () => {
    const found = await search(["docs"]);
    expect(ids(found)).toEqual(["docs/b.md", "docs/d.html", "docs/deep/c.PDF", "docs/link.md"]);
    expect(found).toMatchObject({ otherKinds: 1, prefixes: ["docs/"], empty: ["docs/empty.md"] });
    expect(found.entries[2]?.contentType).toBe("application/pdf");
  });

  test("behind links that lead out of the folder, or nowhere, are faults", async () => {
    const { faults } = await search(["docs"]);
    expect(faults.map(({ file }) => file).sort()).toEqual(["docs/broken.md", "docs/escape.txt"]);
    expect(faults[0]?.message).toContain("leads out of the folder");
  });

  test("files named twice are found once, for every spelling of their path", async () => {
    const found = await search(["docs/b.md", "./docs", join(workspace, "docs/b.md")]);
    expect(ids(found).filter((id) => id === "docs/b.md")).toEqual(["docs/b.md"]);
  });

  test("of the workspace itself leave out data and packages", async () => {
    expect(ids(await search(["."]))).toEqual([
      "a.md",
      "docs/b.md",
      "docs/d.html",
      "docs/deep/c.PDF",
      "docs/link.md",
    ]);
  });

  test("outside of the workspace count from the folder that was named", async () => {
    const found = await search(["../notes"]);
    expect(ids(found)).toEqual(["notes/n.txt", "notes/sub/m.md"]);
    expect(found.prefixes).toEqual(["notes/"]);
    expect(ids(await search(["../notes/n.txt"]))).toEqual(["n.txt"]);
  });

  test("are those that the patterns let through", async () => {
    expect(ids(await search(["docs"], { include: ["**/*.md", "*.html"], exclude: ["link.*"] }))).toEqual([
      "docs/b.md",
      "docs/d.html",
    ]);
  });

  test("named by themselves may have any ending", async () => {
    expect((await search(["docs/e.svg"])).entries).toEqual([
      { id: "docs/e.svg", path: join(workspace, "docs/e.svg"), contentType: undefined },
    ]);
  });

  test("that don't exist are a call gone wrong", async () => {
    const thrown = await search(["nowhere"]).catch((error) => error);
    expect(thrown).toMatchObject({ kind: "invalid", code: "usage", message: "nowhere does not exist." });
  });
});

describe("sources", () => {
  test.each([
    [["docs/**/*.md"], ["docs/b.md", "docs/link.md"]],
    [["./*.md"], ["a.md"]],
    [["docs/b.md"], ["docs/b.md"]],
    [
      ["docs/*.{md,html}", "docs/b.md"],
      ["docs/b.md", "docs/d.html", "docs/link.md"],
    ],
    [["nowhere/**"], []],
  ])("%j are %j", async (patterns, expected) => {
    expect(ids(await findSources(workspace, patterns))).toEqual(expected);
  });

  test.each(["../notes/**", "/etc/**", "docs/../../notes/*.txt"])(
    "%s leads out of the workspace",
    async (pattern) => {
      const thrown = await findSources(workspace, [pattern]).catch((error) => error);
      expect(thrown).toMatchObject({
        code: "usage",
        message: expect.stringContaining("leads out of the workspace"),
      });
    },
  );
});

describe("a file", () => {
  const entry = (path: string) => ({ id: "f.txt", path, contentType: undefined });
  test("is read whole", async () => {
    expect(await readDocumentFile(entry(join(workspace, "a.md")))).toEqual(new TextEncoder().encode("text"));
  });
  test("of more than 64 MiB is refused unread", async () => {
    const path = join(folder.path, "large.txt");
    writeFileSync(path, "");
    truncateSync(path, 64 * 1024 * 1024 + 1);
    expect(await readDocumentFile(entry(path)).catch((error) => error)).toMatchObject({
      code: "document_too_large",
      message: expect.stringContaining("larger than 64 MiB; split it"),
    });
  });
  test("that is gone is named by its id", async () => {
    const thrown = await readDocumentFile(entry(join(workspace, "gone.md"))).catch((error) => error);
    expect(thrown).toMatchObject({ code: "file_unreadable", message: "f.txt can't be read (ENOENT)." });
  });
  test("of a document is there, or isn't", async () => {
    const named: DocumentSearch = {
      workspace,
      folder: workspace,
      paths: ["../notes"],
      include: [],
      exclude: [],
    };
    expect(await hasDocumentFile(named, "docs/b.md")).toBe(true);
    expect(await hasDocumentFile(named, "notes/n.txt")).toBe(true);
    expect(await hasDocumentFile(named, "notes/gone.txt")).toBe(false);
  });
});
