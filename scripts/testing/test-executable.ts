import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const place = "dist/argosy";
/** Written beside the executable: the sources that it was built from. */
const stampPlace = "dist/argosy.sources";

/** No build reads these, nor what begins with a dot. The lockfile names the packages. */
const unread = new Set(["node_modules", "dist", "tests", "desktop", "scripts"]);

/** Builds the executable for tests, unless it is there from the same sources. Returns its path; undefined if the build failed. */
export async function buildForTests(root: string): Promise<string | undefined> {
  const executable = join(root, place);
  const hash = hashOf(root);
  const built = stampOf(executable, hash);
  if (built !== undefined && readStamp(root) === built) {
    console.log(`${place} is there from the same sources.`);
    return executable;
  }
  const build = Bun.spawn([join(root, "scripts/build"), "--fast"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if ((await build.exited) !== 0) return undefined;
  writeFileSync(join(root, stampPlace), stampOf(executable, hash) ?? "");
  return executable;
}

/** Names the sources, and the very file that was built from them: another build may have replaced it. */
function stampOf(executable: string, hash: string): string | undefined {
  const file = statSync(executable, { throwIfNoEntry: false });
  return file && `${hash} ${file.size} ${file.mtimeMs}\n`;
}

function readStamp(root: string): string | undefined {
  try {
    return readFileSync(join(root, stampPlace), "utf8");
  } catch {
    return undefined;
  }
}

/** Hashes every file that a build may read, and more, so that none is forgotten. */
function hashOf(root: string): string {
  const hash = new Bun.CryptoHasher("sha256");
  const places = readdirSync(root).filter((name) => !name.startsWith(".") && !unread.has(name));
  const patterns = [
    "scripts/build*",
    "scripts/building/**",
    ...places,
    ...places.map((name) => `${name}/**`),
  ];
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })]);
  for (const file of [...new Set(files)].sort()) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}
