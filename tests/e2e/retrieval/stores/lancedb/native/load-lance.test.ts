import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../../../../../src/kit/log.ts";
import { createLanceLoader } from "../../../../../../src/retrieval/stores/lancedb/native/load-lance.ts";
import { temporaryFolder } from "../../../../../support/temp-folder.ts";

const source = join(import.meta.dir, "../../../../../../src");

/** Runs `script` in a separate process, which has loaded nothing yet; resolves with the JSON that it writes. */
async function inProcess(script: string) {
  const child = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { ...(JSON.parse(output || "{}") as Record<string, unknown>), errors };
}

const prelude = (folder: string) => `
  import { createLanceLoader } from ${JSON.stringify(join(source, "retrieval/stores/lancedb/native/load-lance.ts"))};
  import { createLanceStore } from ${JSON.stringify(join(source, "retrieval/stores/lancedb/lance-store.ts"))};
  import { systemClock } from ${JSON.stringify(join(source, "kit/clock.ts"))};
  import { silentLogger as log } from ${JSON.stringify(join(source, "kit/log.ts"))};
  import { readFileSync, readdirSync } from "node:fs";
  const load = createLanceLoader({ dataFolder: ${JSON.stringify(folder)}, log });
  const store = createLanceStore({ place: ${JSON.stringify(join(folder, "vectors"))}, load, clock: systemClock, log });
  const isLoaded = () => readFileSync("/proc/self/maps", "utf8").includes("lancedb");
  const signal = new AbortController().signal;`;

test("nothing is loaded or written before the first use, and upkeep is none", async () => {
  using folder = temporaryFolder();
  const found = await inProcess(`${prelude(folder.path)}
    await store.maintain(signal);
    const before = [isLoaded(), readdirSync(${JSON.stringify(folder.path)}).length];
    await store.open({ tenant: "t", kind: "rag", name: "n" }, 2);
    const after = [isLoaded(), readdirSync(${JSON.stringify(folder.path)}).length];
    await store.close();
    console.log(JSON.stringify({ before, after }));`);
  expect(found).toMatchObject({ before: [false, 0], after: [true, 2] });
});

test("LanceDB writes no lines of its own, and its temporary files lie in the data folder", async () => {
  using folder = temporaryFolder();
  const found = await inProcess(`${prelude(folder.path)}
    const { lance } = await load();
    const connection = await lance.connect(${JSON.stringify(join(folder.path, "vectors"))});
    const table = await connection.createTable("t", [{ vector: [1, 2], text: "a" }]);
    // Warns: the columns don't name the distance.
    const found = await table.query().nearestTo([1, 2]).select(["text"]).limit(1).toArray();
    const [own] = readdirSync(${JSON.stringify(join(folder.path, "tmp"))});
    console.log(JSON.stringify({
      found: found.length,
      ownFolder: own.startsWith("lance-" + process.pid + "-"),
      temporary: readdirSync(${JSON.stringify(join(folder.path, "tmp"))} + "/" + own).length > 0,
      tmpdir: process.env.TMPDIR ?? null,
    }));`);
  expect(found).toMatchObject({
    found: 1,
    ownFolder: true,
    temporary: true,
    tmpdir: process.env.TMPDIR ?? null,
    errors: "",
  });
});

test("an executable without LanceDB answers 503 and names the other stores", async () => {
  using folder = temporaryFolder();
  const addon = { kind: "absent", target: "bun-darwin-x64" } as const;
  const load = createLanceLoader({ dataFolder: folder.path, log: silentLogger, addon });
  const thrown = await load().catch((error) => error);
  expect(thrown).toMatchObject({
    code: "vectors_unavailable",
    status: 503,
    message: "This executable (bun-darwin-x64) was built without LanceDB.",
  });
  expect(thrown.details.hint).toContain("pgvector");
  expect(readdirSync(folder.path)).toEqual([]);
});

test("what stood in the way once is tried again", async () => {
  using folder = temporaryFolder();
  // A file in place of the folder for temporary files.
  writeFileSync(join(folder.path, "tmp"), "");
  const load = createLanceLoader({ dataFolder: folder.path, log: silentLogger });
  expect(await load().catch((error) => error.code)).toBe("vectors_unavailable");
  await Bun.file(join(folder.path, "tmp")).delete();
  expect((await load()).lance).toHaveProperty("connect");
  expect(readFileSync("/proc/self/maps", "utf8")).toContain("lancedb");
});
