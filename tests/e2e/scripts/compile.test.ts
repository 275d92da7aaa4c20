import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../../../scripts/building/compile.ts";
import { writeTree } from "../../scripts/source-tree.ts";

const program = {
  "src/main.ts": `
import { ask } from "./deep/ask.ts";
declare const BUILD_COMMIT: string;
const [command] = process.argv.slice(2);
if (command === "version") console.log(BUILD_COMMIT);
if (command === "env") console.log(process.env.STRAY ?? "none");
if (command === "worker") console.log(await ask("a question"));
function failing() { throw new Error("on purpose"); }
if (command === "fail") failing();
`,
  "src/deep/ask.ts": `
export function ask(question: string): Promise<string> {
  const worker = new Worker(new URL("./answer-worker.ts", import.meta.url).href);
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = (event) => { resolve(event.data); worker.terminate(); };
    worker.postMessage(question);
  });
}`,
  "src/deep/answer-worker.ts": `
import { upper } from "../upper.ts";
self.onmessage = (event: MessageEvent<string>) => postMessage(upper(event.data));`,
  "src/upper.ts": "export const upper = (text: string) => text.toUpperCase();",
};

test("one file holds the program and its workers, the same bytes from every folder and under every name", async () => {
  const empty = mkdtempSync(join(tmpdir(), "argosy-empty-"));
  writeFileSync(join(empty, ".env"), "STRAY=1");
  writeFileSync(join(empty, "bunfig.toml"), 'preload = ["./missing.ts"]');
  const here = process.cwd();
  const hashes: string[] = [];
  for (const round of [1, 2]) {
    const root = writeTree(program);
    const outfile = join(root, round === 1 ? "program" : "another-name");
    process.chdir(root);
    await compile({ outfile, commit: "abc" });
    process.chdir(here);
    const bytes = readFileSync(outfile);
    hashes.push(Bun.hash(bytes).toString(16));
    if (round === 1) expect(bytes.includes(root)).toBe(false);
    if (round === 2) writeFileSync(join(empty, "program"), bytes, { mode: 0o755 });
    rmSync(root, { recursive: true });
  }
  expect(hashes[0]).toBe(String(hashes[1]));

  const run = (command: string) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync([join(empty, "program"), command], {
      cwd: empty,
      env: {},
    });
    return { out: stdout.toString().trim(), err: stderr.toString(), exitCode };
  };
  expect(run("version")).toMatchObject({ out: "abc", exitCode: 0 });
  expect(run("env")).toMatchObject({ out: "none", exitCode: 0 });
  expect(run("worker")).toMatchObject({ out: "A QUESTION", exitCode: 0 });
  const failure = run("fail");
  expect(failure.exitCode).not.toBe(0);
  expect(failure.err).toMatch(/at failing \(src\/main\.ts:8:/);
  rmSync(empty, { recursive: true });
});
