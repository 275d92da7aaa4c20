/**
 * Keeps the data of a release for the tests of later ones: fills an installation, and writes its backup and what was read from it to
 * tests/support/releases. Run it once for each release, with the released executable in dist/argosy:
 *
 *   node_modules/.bin/bun scripts/keep-release-data.ts [name]
 *
 * The name is the version by default. The keys in the backup were made for it and open nothing else.
 */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../package.json" with { type: "json" };
import { startConsoleWorld } from "../tests/support/console-world.ts";
import { argosy } from "../tests/support/executable.ts";
import { type ReleaseData, readReleaseData, releasesFolder } from "../tests/support/release-data.ts";

const name = process.argv[2] ?? version;
const backup = join(releasesFolder, `${name}.tar.zst`);
if (existsSync(backup)) throw new Error(`${backup} exists already: the data of a release never changes.`);

await using world = await startConsoleWorld();
const period = new Date().toISOString().slice(0, "2026-01".length);
const data: ReleaseData = { names: world.names, period, answers: await readReleaseData(world, period) };
const made = await argosy(world.folder, ["backup", "release.tar.zst", "--json"], { env: world.env });
if (made.code !== 0) throw new Error(`No backup was made: ${made.stdout}${made.stderr}`);
mkdirSync(releasesFolder, { recursive: true });
const answers = join(releasesFolder, `${name}.json`);
writeFileSync(answers, JSON.stringify(data));
Bun.spawnSync(["node_modules/.bin/biome", "format", "--write", answers], {
  cwd: join(import.meta.dir, ".."),
});
copyFileSync(join(world.folder, "release.tar.zst"), backup);
console.log(backup);
