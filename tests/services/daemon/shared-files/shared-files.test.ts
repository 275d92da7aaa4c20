import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { silentLogger } from "../../../../src/kit/log.ts";
import { openPausedAgents } from "../../../../src/services/daemon/agents/paused-agents.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import { openReleaseRecords } from "../../../../src/services/daemon/release/release-records.ts";
import type { SharedFileTables } from "../../../../src/services/daemon/shared-files/schema.ts";
import { SharedFiles } from "../../../../src/services/daemon/shared-files/shared-files.ts";
import { pausePlace, releasePlace } from "../../../../src/services/daemon/shared-files/state-places.ts";
import { isShared, workspacePlace } from "../../../../src/services/daemon/shared-files/workspace-place.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { createSealer } from "../../../../src/storage/sealing/seal.ts";
import type { Storage } from "../../../../src/storage/storage.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine, sqliteEngine } from "../../../support/storage-engines.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const sealerOf = (byte: number) => createSealer([{ kid: "k", secret: Buffer.alloc(32, byte) }]);

/** A node: a workspace, a data folder, and what it shares. `restart` begins another process on the same folders. */
function nodeOn(storage: Storage<SharedFileTables>, name: string, sealer = sealerOf(1)) {
  const workspace = temporaryFolder();
  const data = temporaryFolder();
  const paused = openPausedAgents(undefined);
  const clock = new FakeClock();
  let changes = 0;
  const open = () =>
    new SharedFiles({
      storage,
      sealer,
      places: [
        workspacePlace(workspace.path, clock),
        pausePlace(paused),
        releasePlace(join(data.path, "releases")),
      ],
      dataFolder: data.path,
      node: name,
      clock,
      log: silentLogger,
      changed: async () => void changes++,
    });
  let shared = open();
  const path = (file: string) => join(workspace.path, file);
  return {
    path,
    paused,
    releases: openReleaseRecords({ dataFolder: data.path }),
    data: data.path,
    look: () => shared.look(),
    differing: () => [...shared.state.differing.keys()],
    restart() {
      shared = open();
    },
    get changes() {
      return changes;
    },
    write(file: string, text: string) {
      mkdirSync(join(path(file), ".."), { recursive: true });
      writeFileSync(path(file), text);
    },
    read: (file: string) => (existsSync(path(file)) ? readFileSync(path(file), "utf8") : undefined),
    remove: (file: string) => rmSync(path(file)),
    [Symbol.dispose]() {
      workspace[Symbol.dispose]();
      data[Symbol.dispose]();
    },
  };
}

const file = "agents/helper.agent.yaml";

onEachEngine("shared files", (engine) => {
  const open = () => engine.open({ service: "daemon", tables, migrations });

  test("a change on one node reaches the other, which reloads; then both agree", async () => {
    await using storage = await open();
    using a = nodeOn(storage, "a");
    using b = nodeOn(storage, "b");
    a.write(file, "one");
    await a.look();
    await b.look();
    expect([b.read(file), b.changes]).toEqual(["one", 1]);
    b.write(file, "two");
    await b.look();
    await a.look();
    expect([a.read(file), a.changes]).toEqual(["two", 1]);
    await a.look();
    await b.look();
    expect([a.changes, b.changes]).toEqual([1, 1]);
  });

  test("a file that is deleted on a running node is deleted on all; one that is missing at a start comes back", async () => {
    await using storage = await open();
    using a = nodeOn(storage, "a");
    using b = nodeOn(storage, "b");
    a.write(file, "one");
    a.write("providers.yaml", "providers: {}");
    await a.look();
    await b.look();
    a.remove("providers.yaml");
    a.restart();
    await a.look();
    expect(a.read("providers.yaml")).toBe("providers: {}");
    a.remove(file);
    await a.look();
    await b.look();
    expect([a.read(file), b.read(file), b.read("providers.yaml")]).toEqual([
      undefined,
      undefined,
      "providers: {}",
    ]);
    // A node that was away has the deleted text, and gives it to nobody.
    using late = nodeOn(storage, "late");
    late.write(file, "one");
    await late.look();
    expect(late.read(file)).toBeUndefined();
    await a.look();
    expect(a.read(file)).toBeUndefined();
  });

  test("of two changes the first one counts; the other's text is set aside until a person deletes it", async () => {
    await using storage = await open();
    using a = nodeOn(storage, "a");
    using b = nodeOn(storage, "b");
    a.write(file, "one");
    await a.look();
    await b.look();
    a.write(file, "of a");
    b.write(file, "of b");
    await a.look();
    expect(await b.look()).toEqual([file]);
    expect([a.read(file), b.read(file)]).toEqual(["of a", "of a"]);
    const aside = join(b.data, "set-aside", file);
    expect([readFileSync(aside, "utf8"), b.differing()]).toEqual(["of b", [file]]);
    b.restart();
    await b.look();
    expect(b.differing()).toEqual([file]);
    rmSync(aside);
    expect(b.differing()).toEqual([]);
  });

  test("pauses and releases are shared like files, and lines of releases only grow", async () => {
    await using storage = await open();
    using a = nodeOn(storage, "a");
    using b = nodeOn(storage, "b");
    const at = new Date(0);
    const served = (fingerprint: string) => ({ fingerprint, requires: [], text: `text of ${fingerprint}` });
    a.paused.set("helper", true);
    a.releases.serve("helper", served("f1"), at);
    await a.look();
    await b.look();
    expect([b.paused.list(), b.releases.last("helper")?.fingerprint]).toEqual([["helper"], "f1"]);
    expect(b.releases.textOf("helper")).toBe("text of f1");
    b.paused.set("helper", false);
    b.releases.override("helper", "f2", "a reason", at);
    b.releases.forgetText("helper");
    await b.look();
    await a.look();
    expect([a.paused.list(), a.releases.reasonFor("helper", "f2")]).toEqual([[], "a reason"]);
    expect(a.releases.textOf("helper")).toBeUndefined();
    expect(a.releases.hasServed("helper", "f1")).toBe(true);
  });

  test("what is no text, too large, hidden, of a package or of one node alone is not shared", async () => {
    await using storage = await open();
    using a = nodeOn(storage, "a");
    using b = nodeOn(storage, "b");
    a.write("evals/large.jsonl", "x".repeat(1024 * 1024 + 1));
    writeFileSync(a.path("evals/image.png"), Buffer.from([0xff, 0xfe, 0x00]));
    const own = [
      "runtime.yaml",
      ".env",
      "agents/.draft.agent.yaml",
      "tools/node_modules/x/index.js",
      "docs/a.md",
    ];
    for (const one of own) a.write(one, "own");
    await a.look();
    await b.look();
    expect(a.differing().sort()).toEqual(["evals/image.png", "evals/large.jsonl"]);
    for (const one of [...own, "evals/large.jsonl", "evals/image.png"]) expect(b.read(one)).toBeUndefined();
  });

  test("texts are sealed in the database, and one that other keys sealed is not taken", async () => {
    await using storage = await open();
    using a = nodeOn(storage, "a");
    using stranger = nodeOn(storage, "stranger", sealerOf(2));
    a.write(file, "a secret of the owner");
    await a.look();
    const rows = await storage.read.select().from(storage.tables.sharedFiles);
    expect(JSON.stringify(rows)).not.toContain("a secret");
    await stranger.look();
    expect([stranger.read(file), stranger.differing()]).toEqual([undefined, [file]]);
  });

  test("a file that can't be written is reported, and taken as soon as it can", async () => {
    await using storage = await open();
    using a = nodeOn(storage, "a");
    using b = nodeOn(storage, "b");
    a.write(file, "one");
    await a.look();
    b.write("agents", "a file in the folder's place");
    await b.look();
    expect(b.differing()).toEqual([file]);
    b.remove("agents");
    await b.look();
    expect([b.read(file), b.differing()]).toEqual(["one", []]);
  });
});

test.each([
  ["agents/helper.agent.yaml", true],
  ["providers.yaml", true],
  ["tools/lib/words.ts", true],
  ["runtime.yaml", false],
  ["agents/notes.txt", false],
  ["agents/../../etc/x.agent.yaml", false],
  ["agents//x.agent.yaml", false],
  ["/agents/x.agent.yaml", false],
  ["agents/.hidden/x.agent.yaml", false],
  ["tools/node_modules/x.ts", false],
  ["agents\\..\\x.agent.yaml", false],
  ["constructor/x", false],
])("a path from the database is written only inside the shared folders: %p %p", (path, isOpen) => {
  expect(isShared(path)).toBe(isOpen);
});

interface Act {
  node: number;
  act: "write" | "remove" | "look" | "restart";
  text: string;
}

test("whatever nodes do, three looks later all have the same text", async () => {
  const act = fc.record({
    node: fc.nat(2),
    act: fc.constantFrom<Act["act"]>("write", "write", "remove", "look", "look", "restart"),
    text: fc.string({ minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
      await using storage = await sqliteEngine.open({ service: "daemon", tables, migrations });
      using one = nodeOn(storage, "n0");
      using two = nodeOn(storage, "n1");
      using three = nodeOn(storage, "n2");
      const nodes = [one, two, three];
      for (const { node: at, act, text } of acts) {
        const node = nodes[at];
        if (node === undefined) continue;
        if (act === "write") node.write(file, text);
        if (act === "remove" && node.read(file) !== undefined) node.remove(file);
        if (act === "look") await node.look();
        if (act === "restart") node.restart();
      }
      for (let round = 0; round < 3; round++) for (const node of nodes) await node.look();
      const texts = nodes.map((node) => node.read(file));
      expect(new Set(texts).size).toBe(1);
    }),
    { numRuns: 40 },
  );
});
