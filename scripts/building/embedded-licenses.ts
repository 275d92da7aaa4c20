import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { bundledPackages } from "./bundled-packages.ts";
import { lancePackage } from "./lance-package.ts";
import { licenseFile } from "./license-file.ts";
import { type PackLevel, packFile } from "./pack-file.ts";
import { importPacked, packedFolder } from "./packed-imports.ts";

const module = "src/command/license-texts.ts";

/** Replaces `license-texts.ts` by the licences of everything in the executable, packed: 1 MB takes 60 kB. */
export async function embeddedLicenses(
  root: string,
  target: string,
  level: PackLevel,
  addonFolder?: string,
): Promise<BunPlugin> {
  // Before the build begins: a nested build never ends.
  const path = existsSync(join(root, module))
    ? await packedLicenses(root, target, level, addonFolder)
    : undefined;
  return {
    name: "embedded-licenses",
    setup(build) {
      if (path === undefined) return;
      build.onLoad({ filter: /\/src\/command\/license-texts\.ts$/ }, () => ({
        contents: `${importPacked("file", path)}
export const readLicenses = async () => new TextDecoder().decode(Bun.zstdDecompressSync(await Bun.file(file).bytes()));`,
        loader: "js",
      }));
    },
  };
}

async function packedLicenses(
  root: string,
  target: string,
  level: PackLevel,
  addonFolder: string | undefined,
): Promise<string> {
  const folder = join(root, ".cache/libraries");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "licenses.txt");
  await Bun.write(
    path,
    licenseFile(root, await bundledPackages(root, lancePackage(target), addonFolder), Bun.version),
  );
  return (await packFile(path, level, packedFolder(root))).path;
}
