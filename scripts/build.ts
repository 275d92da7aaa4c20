import { mkdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Build } from "bun";
import { compile } from "./building/compile.ts";
import { currentCommit } from "./building/current-commit.ts";
import { publishedSource } from "./building/release-source.ts";

/** Size limit of a download, in bytes. */
const sizeBytesMax = 200e6;

const root = join(import.meta.dir, "..");
process.chdir(root); // paths in stack traces count from here
const { values } = parseArgs({
  options: {
    target: { type: "string" },
    out: { type: "string", default: join(root, "dist/argosy") },
    // Larger by 5 MB. Without it, the first build takes one or two minutes longer, for a compression whose result later builds reuse.
    fast: { type: "boolean", default: false },
  },
});
const forWindows = values.target?.includes("windows") && !values.out.endsWith(".exe");
const outfile = resolve(forWindows ? `${values.out}.exe` : values.out);
mkdirSync(dirname(outfile), { recursive: true });

const startedAt = performance.now();
const { missing } = await compile({
  outfile,
  level: values.fast ? "fast" : "small",
  commit: (await currentCommit(root)).commit,
  published: publishedSource(process.env),
  ...(values.target ? { target: values.target as Build.CompileTarget } : {}),
});
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
const hash = new Bun.CryptoHasher("sha256").update(await Bun.file(outfile).bytes()).digest("hex");
const sizeBytes = statSync(outfile).size;
console.log(`${relative(process.cwd(), outfile)}  ${(sizeBytes / 1e6).toFixed(1)} MB  ${seconds} s`);
for (const part of missing) console.log(`built without ${part}`);
console.log(`sha256 ${hash}`);
if (sizeBytes > sizeBytesMax && !values.fast)
  throw new Error(
    `${outfile} has ${(sizeBytes / 1e6).toFixed(1)} MB and may have ${sizeBytesMax / 1e6}: see what has grown.`,
  );

// An executable for another system cannot be tried here.
if (!values.target) {
  const started = Bun.spawn([outfile, "version"], { stdio: ["ignore", "pipe", "inherit"] });
  const [output, status] = await Promise.all([new Response(started.stdout).text(), started.exited]);
  if (status !== 0)
    throw new Error(`${outfile} was built but does not start: \`version\` ended with status ${status}.`);
  console.log(`starts: ${output.trim()}`);
}
