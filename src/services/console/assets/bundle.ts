import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../kit/app-error.ts";
import type { BundleSource, ConsoleBundle } from "./console-bundle.ts";

/*
 * For programs that run from source. In the executable, `scripts/building/embedded-console.ts` replaces this module with one that reads a
 * console built beforehand.
 */

const root = join(import.meta.dir, "../../../..");
const cache = join(root, ".cache/console");

/** Sources that the console is built from. */
const sources = ["src/console", "src/contracts", "src/manifest", "src/kit", "scripts/building/console.ts"];

/** The console of this source tree. It is rebuilt when a page opens after a file has changed, so developers only reload. */
export function openBundle(): BundleSource {
  let known: { stamp: string; bundle: Promise<ConsoleBundle> } | undefined;
  const latest = () => {
    const stamp = stampOf(sources);
    if (known?.stamp !== stamp) {
      const built = { stamp, bundle: readOrBuild(stamp) };
      known = built;
      built.bundle.catch(() => {
        if (known === built) known = undefined;
      });
    }
    return known.bundle;
  };
  return { latest, current: () => known?.bundle ?? latest() };
}

/** Changes when any source file changes. */
function stampOf(places: readonly string[]): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const place of places) {
    const path = join(root, place);
    const files = place.endsWith(".ts")
      ? [path]
      : [...new Bun.Glob("**/*.{ts,tsx,css,json}").scanSync({ cwd: path, absolute: true })].sort();
    for (const file of files) {
      const { mtimeMs, size } = statSync(file);
      hash.update(`${file} ${mtimeMs} ${size}\n`);
    }
  }
  return hash.digest("hex").slice(0, 16);
}

async function readOrBuild(stamp: string): Promise<ConsoleBundle> {
  const folder = join(cache, stamp);
  if (!existsSync(folder)) await build(folder);
  const { files, ...parts } = await Bun.file(join(folder, "console.json")).json();
  return {
    ...parts,
    files: await Promise.all(
      files.map(async ({ path, type }: { path: string; type: string }) => ({
        path,
        type,
        encoding: "identity",
        bytes: await Bun.file(join(folder, path)).bytes(),
      })),
    ),
  };
}

/** Runs in a separate process, because a build would block all requests of this one. */
async function build(folder: string): Promise<void> {
  const draft = `${folder}.${crypto.randomUUID()}.tmp`;
  try {
    mkdirSync(cache, { recursive: true });
    const script = join(root, "scripts/building/console.ts");
    const child = Bun.spawn([process.execPath, script, "--out", draft], {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [errorText, status] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (status !== 0) throw notBuilt(errorText);
    forgetOlder();
    // If another process was faster, its folder has the same contents.
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Each change leaves a folder. A few are kept for developers who switch back and forth. */
function forgetOlder(): void {
  const kept = 8;
  const folders = readdirSync(cache)
    .map((name) => join(cache, name))
    .filter((path) => !path.endsWith(".tmp"))
    .map((path) => ({ path, mtimeMs: statSync(path).mtimeMs }))
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  for (const { path } of folders.slice(kept)) rmSync(path, { recursive: true, force: true });
}

function notBuilt(told: string): AppError {
  return new AppError("unavailable", "console_not_built", `The console can't be built:\n\n${told.trim()}\n`, {
    details: { hint: "Mend that and load the page again." },
  });
}
