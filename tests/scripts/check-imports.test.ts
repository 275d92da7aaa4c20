import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { checkTree } from "../../scripts/imports/check-tree.ts";
import { writeTree } from "./source-tree.ts";

/** Returns the faults of a tree as `file:line rule`. */
const faultsOf = (files: Record<string, string>) =>
  checkTree(writeTree(files)).faults.map(({ path, line, rule }) => `${path}:${line} ${rule}`);

/** A file in `folder` that imports a file in `target`, both present. */
const edge = (from: string, to: string, statement = "import { x } from") => {
  const specifier = `${"../".repeat(from.split("/").length - 1)}${to}`;
  return { [from]: `\n${statement} "${specifier}";`, [to]: "export const x = 1;" };
};

describe("the import table", () => {
  test.each([
    ["src/contracts/daemon/runs/run.ts", "src/kit/a.ts"],
    ["src/manifest/agent/agent.ts", "src/kit/a.ts"],
    ["src/storage/open.ts", "src/contracts/a.ts"],
    ["src/retrieval/pipeline.ts", "src/manifest/a.ts"],
    ["src/engine/run/run.ts", "src/retrieval/a.ts"],
    ["src/engine/run/run.ts", "src/engine/models/a.ts"],
    ["src/http/errors.ts", "src/contracts/a.ts"],
    ["src/services/daemon/app.ts", "src/engine/a.ts"],
    ["src/services/daemon/app.ts", "src/http/a.ts"],
    ["src/services/daemon/runs/routes.ts", "src/services/daemon/agents/agent-catalog.ts"],
    ["src/services/daemon/app.ts", "src/services/daemon/deps.ts"],
    ["src/compose/daemon.ts", "src/services/daemon/deps.ts"],
    ["src/compose/services.ts", "src/services/daemon/app.ts"],
    ["src/cli/serve.ts", "src/compose/a.ts"],
    ["src/cli/serve.ts", "src/command/a.ts"],
    ["src/command/a.ts", "src/compose/a.ts"],
    ["src/services/translator/app.ts", "src/declared/a.ts"],
    ["src/main.ts", "src/cli/a.ts"],
    ["src/console/app.tsx", "src/contracts/a.ts"],
    ["desktop/main.ts", "src/contracts/a.ts"],
  ])("%s may import %s", (from, to) => {
    expect(faultsOf(edge(from, to))).toEqual([]);
  });

  test.each([
    ["src/kit/a.ts", "src/contracts/a.ts", "kit may import nothing of ours, not contracts"],
    ["src/manifest/agent/agent.ts", "src/contracts/a.ts", "manifest may import kit, not contracts"],
    ["src/storage/open.ts", "src/engine/a.ts", "storage may import kit and contracts, not engine"],
    [
      "src/channels/inbox/store.ts",
      "src/http/a.ts",
      "channels may import kit, contracts and storage, not http",
    ],
    [
      "src/engine/run/run.ts",
      "src/storage/a.ts",
      "engine may import kit, contracts, manifest, onnx and retrieval, not storage",
    ],
    ["src/http/errors.ts", "src/engine/a.ts", "http may import kit and contracts, not engine"],
    [
      "src/cli/serve.ts",
      "src/engine/a.ts",
      "cli may import kit, contracts, manifest, declared, compose and command, not engine",
    ],
    ["src/console/app.tsx", "src/kit/a.ts", "console may import contracts and manifest, not kit"],
    [
      "src/services/daemon/app.ts",
      "src/services/cloud/a.ts",
      "service daemon may not import service cloud: services talk through contracts (contracts/cloud/client.ts)",
    ],
    [
      "src/services/daemon/app.ts",
      "src/compose/a.ts",
      "services may import kit, contracts, manifest, storage, channels, mesh, http, onnx, retrieval, engine, evals, declared and control-plane, not compose",
    ],
    ["src/kit/a.ts", "tests/a.ts", "kit imports tests/a.ts: the program imports no code from outside src"],
    ["src/compose/a.ts", "src/main.ts", "nothing imports main.ts"],
    ["src/compose/a.ts", "src/helper.ts", "nothing imports helper.ts"],
    [
      "src/compose/a.ts",
      "src/command/a.ts",
      "compose may not import command: what a server needs too belongs to the noun that it is about",
    ],
    ["src/compose/a.ts", "src/cli/a.ts", "compose may not import cli: it knows nothing of the command line"],
  ])("%s may not import %s", (from, to, rule) => {
    expect(faultsOf(edge(from, to))).toEqual([`${from}:2 ${rule}`]);
  });

  test("a folder or a loose file without a row is refused", () => {
    expect(faultsOf(edge("src/utils/a.ts", "src/kit/b.ts"))[0]).toStartWith(
      "src/utils/a.ts:2 src/utils stands in no row of the import table",
    );
    expect(faultsOf(edge("src/services/shared.ts", "src/services/daemon/app.ts"))[0]).toContain(
      "a file directly under src/services belongs to no service",
    );
  });

  test.each([
    "import type { x } from",
    "import { type x } from",
    "import * as x from",
    "import x, { type y } from",
    "import",
    "export { x } from",
    "export * from",
    "export type { x } from",
  ])("%s counts as an import", (statement) => {
    expect(faultsOf(edge("src/kit/a.ts", "src/storage/x.ts", statement))).toHaveLength(1);
  });

  test.each([
    'const a = await import("../storage/x.ts");',
    'const a = require("../storage/x.ts");',
    'new Worker(new URL("../storage/x.ts", import.meta.url));',
    'let a: typeof import("../storage/x.ts");',
    `const re = /["'\`]/; const a = \`\${ {b: "}"}.b }\`; export { x } from "../storage/x.ts";`,
  ])("%s is found", (code) => {
    expect(faultsOf({ "src/kit/a.ts": code, "src/storage/x.ts": "export const x = 1;" })).toEqual([
      "src/kit/a.ts:1 kit may import nothing of ours, not storage",
    ]);
  });

  test.each([
    '// import { x } from "../storage/x.ts";',
    'const a = "import x from \\"../storage/x.ts\\"";',
    `const a = \`import { x } from "../storage/x.ts"; \${1}\`;`,
    'const re = /import "..\\/storage\\/x.ts"/;',
    'const x = 1; export { x }; const y = "../storage/x.ts";',
    'module.import("../storage/x.ts");',
  ])("%s is not an import", (code) => {
    expect(faultsOf({ "src/kit/a.ts": code, "src/storage/x.ts": "export const x = 1;" })).toEqual([]);
  });

  test("one file imports code of the user, whose name is not known", () => {
    expect(faultsOf({ "src/engine/tools/own/load-own-tool.ts": "import(url);" })).toEqual([]);
  });

  test("imports that can't be followed are refused", () => {
    expect(
      faultsOf({ "src/kit/a.ts": 'import(name);\nimport "./gone.ts";\nimport "/src/kit/b.ts";' }),
    ).toEqual([
      "src/kit/a.ts:1 an import names its file in quotes, or it can be neither checked nor bundled",
      'src/kit/a.ts:2 "./gone.ts" is not a file',
      'src/kit/a.ts:3 "/src/kit/b.ts": our own files are imported by a relative path',
    ]);
  });
});

describe("contracts and manifest run in a browser", () => {
  test.each([
    ['import { sql } from "bun";', 'no "bun"'],
    ['import { Database } from "bun:sqlite";', 'no "bun:sqlite"'],
    ['import { join } from "node:path";', 'no "node:path"'],
    ['import { join } from "path";', 'no "path"'],
    ['import type { Server } from "bun";', 'no "bun"'],
    ["export const id = Bun.randomUUIDv7();", "Bun does not exist"],
    ["export const b = Buffer.from('');", "Buffer does not exist"],
  ])("%s is refused", (code, rule) => {
    const faults = faultsOf({ "src/contracts/a.ts": code });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toStartWith("src/contracts/a.ts:1 contracts and manifest run in a browser");
    expect(faults[0]).toContain(rule);
  });

  test("also two files further, named with the file that loads it", () => {
    const faults = faultsOf({
      "src/contracts/a.ts": 'import { b } from "../kit/b.ts";',
      "src/kit/b.ts": 'export { c as b } from "./c.ts";',
      "src/kit/c.ts": 'import { readFileSync } from "node:fs";\nexport const c = Bun.version;',
    });
    expect(faults).toEqual([
      'src/kit/c.ts:1 contracts and manifest run in a browser: no "node:fs" (src/contracts/a.ts loads this file)',
      "src/kit/c.ts:2 contracts and manifest run in a browser, where Bun does not exist (src/contracts/a.ts loads this file)",
    ]);
  });

  test("what only a type names is not loaded, and properties are not globals", () => {
    expect(
      faultsOf({
        "src/contracts/a.ts": 'import type { B } from "../kit/b.ts"; export const x = { Bun: 1 }.Bun;',
        "src/kit/b.ts": 'import { readFileSync } from "node:fs"; export type B = string;',
      }),
    ).toEqual([]);
  });
});

describe("forbidden uses", () => {
  const clock = "time comes through the Clock";
  const chance = "chance is an argument";
  const env = "the environment is read in compose/load-config.ts alone";
  const network = "engine, retrieval, channels and services open no connection";
  const query = "queries are awaited";
  const screen = "commands print through the screen";
  test.each([
    ["src/engine/a.ts", "const now = new Date();", clock],
    ["src/engine/a.ts", "const now = new Date;", clock],
    ["src/kit/a.ts", "const now = Date.now();", clock],
    ["src/storage/a.ts", "const n = Math.random();", chance],
    ["src/cli/a.ts", "await Bun.sleep(1);", clock],
    ["src/engine/a.ts", "const home = process.env.HOME;", env],
    ["src/cli/a.ts", "const home = Bun.env.HOME;", env],
    ["src/engine/a.ts", "const home = import.meta.env.HOME;", env],
    ["src/services/daemon/a.ts", "await globalThis.fetch(url);", network],
    ["src/engine/models/a.ts", "await Bun.connect({});", network],
    ["src/engine/a.ts", "const session = new Bun.FetchSession();", network],
    ["src/services/daemon/a.ts", 'import { request } from "node:https";', network],
    ["src/services/daemon/a.ts", 'import dns from "dns/promises";', network],
    ["src/engine/a.ts", 'import "node:tls";', network],
    ["src/engine/a.ts", 'const { connect } = await import("node:net");', network],
    ["src/engine/a.ts", 'import { isIP, connect } from "node:net";', network],
    ["src/retrieval/a.ts", 'export * from "node:http";', network],
    ["src/channels/whatsapp/a.ts", "await globalThis.fetch(url);", network],
    ["src/services/daemon/a.ts", "const rows = db.select().from(t).all();", query],
    ["src/channels/inbox/store.ts", "const rows = db.select().from(t).all();", query],
    ["src/storage/a.ts", "await db.insert(t)\n  .values(v)\n  .run();", query],
    ["src/storage/postgres/a.ts", "const row = query.get();", query],
    ["src/cli/a.ts", "console.log(name);", screen],
    ["src/cli/runs/a.ts", "console.error(name);", screen],
    ["src/cli/a.ts", "const out = process.stdout;", screen],
    ["src/cli/a.ts", "const out = Bun.stderr;", screen],
    ["src/cli/a.ts", "shell.stdout.write(name);", screen],
    ["src/cli/rag/a.ts", "const { stderr } = shell;\nstderr.write(name);", screen],
  ])("%s: %s", (path, code, rule) => {
    const faults = faultsOf({ [path]: code });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(rule);
  });

  test.each([
    ["src/engine/a.ts", "const then = new Date(0);"],
    ["src/kit/clock.ts", "const now = new Date();"],
    ["src/engine/a.ts", "const now = clock.Date.now(); // Date.now()"],
    ["src/compose/a.ts", "retry({ random: Math.random });"],
    ["src/compose/load-config.ts", "const home = process.env.HOME;"],
    ["src/engine/tools/network/a.ts", "await globalThis.fetch(url);"],
    ["src/compose/a.ts", "await globalThis.fetch(url);"],
    ["src/engine/tools/network/a.ts", 'import { lookup } from "node:dns/promises";'],
    ["src/engine/a.ts", 'import { isIPv4, isIPv6 } from "node:net";'],
    ["src/engine/a.ts", 'import type { Socket } from "node:net";'],
    ["src/engine/a.ts", 'const module = "node:http";'],
    ["src/storage/sqlite/a.ts", "const row = query.get();"],
    ["src/services/daemon/a.ts", 'app.get("/x", handler); await Promise.all(list); map.get(key);'],
    ["src/engine/a.ts", "const rows = db.select().all();"],
    ["src/cli/terminal/a.ts", "process.stdout.write(name);"],
    ["src/cli/a.ts", "const config = { console: link.console };"],
  ])("%s may say %s", (path, code) => {
    expect(faultsOf({ [path]: code })).toEqual([]);
  });
});

describe("the command", () => {
  const run = (root: string) => {
    const script = join(import.meta.dir, "../../scripts/check-imports.ts");
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, root], { stderr: "pipe" });
    return { exitCode, stderr: stderr.toString() };
  };

  test("names file, line and rule, and fails", () => {
    const result = run(writeTree(edge("src/kit/a.ts", "src/storage/x.ts")));
    expect(result).toEqual({
      exitCode: 1,
      stderr: "src/kit/a.ts:2 kit may import nothing of ours, not storage\n",
    });
  });

  test("fails when it read nothing", () => {
    const result = run(writeTree({ "docs/a.md": "" }));
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("nothing was checked");
  });

  test("passes on a tree in order", () => {
    expect(run(writeTree(edge("src/engine/a.ts", "src/kit/x.ts"))).exitCode).toBe(0);
  });
});
