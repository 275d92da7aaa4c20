import { expect, test } from "bun:test";
import { chmodSync, cpSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/kit/app-error.ts";
import { writeTree } from "../../scripts/source-tree.ts";

const source = join(import.meta.dir, "../../../src/kit");

/** The module in a source tree of its own, whose `scripts/setup` is this shell script. */
async function installing(setup: string) {
  const root = writeTree({ "scripts/setup": `#!/bin/sh\n${setup}\n` });
  chmodSync(join(root, "scripts/setup"), 0o755);
  for (const file of ["process/first-use-install.ts", "app-error.ts"])
    cpSync(join(source, file), join(root, "src/kit", file));
  const module: typeof import("../../../src/kit/process/first-use-install.ts") = await import(
    join(root, "src/kit/process/first-use-install.ts")
  );
  const failed = (message: string, hint: string) =>
    new AppError("unavailable", "engine_unavailable", message, { details: { hint } });
  return { ...module, install: () => module.installAtFirstUse("engine", failed) };
}

test("installs a package that is missing, once", async () => {
  const { install, isPackageInstalled } = await installing(
    'echo "$1" >> asked && [ "$(wc -l < asked)" -eq 1 ] && mkdir -p node_modules/engine',
  );
  expect(isPackageInstalled("engine")).toBe(false);
  await install();
  expect(isPackageInstalled("engine")).toBe(true);
  await install();
});

test.each([
  ["that fails", 'echo "first" >&2; echo "no network" >&2; exit 1'],
  ["that leaves the package out", 'echo "no network" >&2'],
])("an installation %s is an error with its last words and what to do", async (_, setup) => {
  const { install } = await installing(setup);
  expect(install()).rejects.toMatchObject({
    code: "engine_unavailable",
    message: "The package engine is not installed yet, and installing it failed: no network",
    details: { hint: expect.stringContaining("scripts/setup engines") },
  });
});
