/**
 * Builds the app's own code into desktop/dist: `bun build.ts`. With `--package`, also builds packages for this system with electron-builder;
 * arguments after it are electron-builder's (`--linux deb`).
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { type PackagingSettings, packagingConfig } from "./packaging-config.ts";
import { packagingTarget, requireServer, targeted } from "./packaging-target.ts";

const folder = import.meta.dir;

/** Compiles the main process as an ES module and the preload script as CommonJS, which a sandboxed page needs. */
export async function buildApp(outdir: string): Promise<void> {
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const external = ["electron", "electron-updater"];
  for (const [entry, format, name] of [
    // As CommonJS, `import.meta.dirname` would be the folder of this machine.
    ["main.ts", "esm", "main.mjs"],
    ["preload.ts", "cjs", "preload.cjs"],
  ] as const) {
    await Bun.build({
      entrypoints: [join(folder, "src", entry)],
      outdir,
      naming: name,
      target: "node",
      format,
      external,
    });
  }
  for (const icon of ["icon.png", "tray.png", "trayTemplate.png", "trayTemplate@2x.png"])
    copyFileSync(join(folder, "assets", icon), join(outdir, icon));
}

if (import.meta.main) {
  const outdir = join(folder, "dist");
  const [first, ...rest] = process.argv.slice(2);
  const target = packagingTarget(rest, process);
  if (first === "--package") requireServer(folder, target);
  await buildApp(outdir);
  console.log(`built ${outdir}`);
  if (first === "--package") {
    const builder = join(folder, "node_modules/.bin/electron-builder");
    if (!existsSync(builder)) throw new Error("electron-builder is missing: run `npm ci` in desktop/.");
    const base = YAML.parse(readFileSync(join(folder, "electron-builder.yml"), "utf8")) as PackagingSettings;
    const config = join(folder, "electron-builder.gen.json");
    writeFileSync(config, JSON.stringify(packagingConfig(base, target, process.env), undefined, 2));
    const child = Bun.spawn([builder, "--config", config, "--publish", "never", ...targeted(rest, target)], {
      cwd: folder,
      stdio: ["ignore", "inherit", "inherit"],
    });
    process.exitCode = await child.exited;
  }
}
