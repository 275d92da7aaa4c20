import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtParts } from "../../../src/command/parts.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { say } from "../recording-shell.ts";

// The commands follow each other as a person's would, over one data folder without a server.
const here = temporaryFolder();

const parts = {
  ...builtParts,
  loadConfig: async () => ({
    ...loadConfig({ workspace: here.path, port: "0" }),
    access: { allowedHosts: [], insecureOpen: false },
    models: { autoConfigure: false, rehearse: false },
    variable: () => undefined,
  }),
};

const platform = (...args: string[]) =>
  say(["platform", ...args], { folder: here.path, parts, stdin: "correct horse\n" });

const json = async (...args: string[]) => JSON.parse((await platform(...args, "--json")).stdout);

beforeAll(async () => {
  await platform("register", "ada@example.com", "--name", "Ada");
  await platform("tenants", "create", "Ada Ltd");
  mkdirSync(join(here.path, "shop"));
  writeFileSync(join(here.path, "shop/hours.md"), "# Hours\n\nThe shop opens at nine.\n");
  writeFileSync(join(here.path, "shop/tea.txt"), "Tea costs three euros.");
});

afterAll(() => here[Symbol.dispose]());

test("a tenant's documents go in, are found, shown and deleted", async () => {
  expect((await platform("collections")).stderr).toContain("No collections.");
  expect((await platform("documents", "put", "handbook", "shop")).stderr).toContain(
    "handbook: 2 created, 0 replaced, 0 unchanged, 0 failed; 2 chunks.",
  );
  expect(await json("documents", "put", "handbook", "shop")).toMatchObject({ unchanged: 2, failed: [] });
  expect((await platform("collections")).stdout).toContain("handbook");
  expect(await json("collections")).toMatchObject({
    collections: [{ name: "handbook", documents: 2 }],
    documents: 2,
    limits: { documents_max: 1000 },
  });
  expect((await platform("documents", "list", "handbook")).stdout).toContain("shop/hours.md");
  expect((await platform("documents", "get", "handbook", "shop/tea.txt")).stdout).toContain(
    "Tea costs three euros.",
  );
  expect((await platform("documents", "query", "handbook", "what", "does", "tea", "cost")).stdout).toContain(
    "Tea costs three euros.",
  );
  expect(await json("documents", "query", "handbook", "tea", "--top-k", "1")).toMatchObject({
    results: [{ citation: { document_id: "shop/tea.txt" } }],
  });
  expect((await platform("documents", "delete", "handbook", "shop/tea.txt")).code).toBe(2);
  expect((await platform("documents", "delete", "handbook", "shop/tea.txt", "--yes")).stderr).toBe(
    "shop/tea.txt is deleted.\n",
  );
  expect((await platform("collections", "create", "letters")).stderr).toBe("letters is there.\n");
  expect((await platform("collections", "delete", "letters", "--yes")).stderr).toBe("letters is deleted.\n");
});

test("a document that is missing or unreadable has its own message and exit code", async () => {
  const missing = await platform("documents", "list", "nothing");
  expect(missing.code).not.toBe(0);
  expect(missing.stderr).toContain('There is no collection named "nothing".');
  writeFileSync(join(here.path, "broken.pdf"), "no PDF");
  const broken = await platform("documents", "put", "handbook", "broken.pdf");
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining("1 failed") });
  expect(await json("documents", "get", "handbook", "broken.pdf")).toMatchObject({
    error: "document_not_found",
  });
});
