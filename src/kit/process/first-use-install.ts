import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AppError } from "../app-error.ts";

/*
 * For a program that runs from source after `scripts/up` has installed what the first answer needs: large packages that only
 * some features load follow when they are first used. An executable has them inside and never asks.
 */

/** Folder of the project's packages, when it runs from source. */
export const packagesFolder = join(import.meta.dir, "../../..");
const root = packagesFolder;

export const isPackageInstalled = (name: string) => existsSync(join(root, "node_modules", name));

/** Installs the packages that serving loads at the first use, unless `name`, one of them, is there. Throws what `failed` makes of the failure. */
export async function installAtFirstUse(
  name: string,
  failed: (message: string, hint: string) => AppError,
): Promise<void> {
  if (isPackageInstalled(name)) return;
  const child = Bun.spawn([join(root, "scripts/setup"), "engines"], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [errorText, status] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (status === 0 && isPackageInstalled(name)) return;
  throw failed(
    `The package ${name} is not installed yet, and installing it failed: ${errorText.trim().split("\n").at(-1)}`,
    "Connect this machine to the package registry and try again, or run scripts/setup engines.",
  );
}
