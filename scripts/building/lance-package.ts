import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Returns the package with LanceDB's addon for a target of Bun's compiler (`bun-linux-arm64-musl`), or undefined if there is none. */
export function lancePackage(target: string): string | undefined {
  const [, os = "", arch = "", rest = ""] = /^bun-(linux|darwin|windows)-(x64|arm64)(.*)$/.exec(target) ?? [];
  const suffix = { linux: rest.includes("musl") ? "-musl" : "-gnu", windows: "-msvc" }[os] ?? "";
  const name = `${os === "windows" ? "win32" : os}-${arch}${suffix}`;
  return packages.has(name) ? `@lancedb/lancedb-${name}` : undefined;
}

const packages: ReadonlySet<string> = new Set([
  "darwin-arm64",
  "linux-x64-gnu",
  "linux-arm64-gnu",
  "linux-x64-musl",
  "linux-arm64-musl",
  "win32-x64-msvc",
  "win32-arm64-msvc",
]);

/** Returns the compiler target of this machine. */
export function ownTarget(): string {
  const { platform, arch } = process;
  const musl = platform === "linux" && readdirSync("/lib").some((name) => name.startsWith("ld-musl-"));
  return `bun-${platform === "win32" ? "windows" : platform}-${arch}${musl ? "-musl" : ""}`;
}

/** Returns the addon's file in `node_modules`, or undefined if its package is not installed. */
export function installedAddon(root: string, target: string): string | undefined {
  const name = lancePackage(target);
  if (name === undefined) return undefined;
  return addonIn(join(root, "node_modules", name));
}

/** Returns the addon's file in the folder of its package, or undefined if there is none. */
export function addonIn(folder: string): string | undefined {
  try {
    const file = readdirSync(folder).find((entry) => entry.endsWith(".node"));
    return file === undefined ? undefined : join(folder, file);
  } catch {
    return undefined;
  }
}
