import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

/** The one system that a call of electron-builder packages for. */
export interface PackagingTarget {
  /** As electron-builder names it. */
  os: "linux" | "mac" | "win";
  arch: "x64" | "arm64";
}

const systems = { linux: "linux", darwin: "mac", win32: "win" } as const;
const options: Readonly<Record<string, PackagingTarget["os"]>> = {
  "--linux": "linux",
  "-l": "linux",
  "--mac": "mac",
  "--macos": "mac",
  "-m": "mac",
  "--win": "win",
  "--windows": "win",
  "-w": "win",
};

/** Reads the system and the architecture among the arguments of electron-builder; this machine's by default. */
export function packagingTarget(
  args: readonly string[],
  host: { platform: string; arch: string },
): PackagingTarget {
  const named = args.flatMap((arg) => options[arg] ?? []);
  const archs = args.flatMap((arg) => /^--(x64|arm64|ia32|armv7l|universal)$/.exec(arg)?.[1] ?? []);
  if (named.length > 1 || archs.length > 1)
    throw new Error(
      "Package one system and one architecture at a time: each has its own server and update feed.",
    );
  const [os = systems[host.platform as keyof typeof systems]] = named;
  const [arch = host.arch] = archs;
  if (os === undefined || (arch !== "x64" && arch !== "arm64"))
    throw new Error(`There is no package for ${os ?? host.platform} ${arch}: Argosy has no server for it.`);
  return { os, arch };
}

/** Returns the arguments with the system and the architecture, which electron-builder would choose by itself. */
export function targeted(args: readonly string[], { os, arch }: PackagingTarget): string[] {
  const hasSystem = args.some((arg) => arg in options);
  const hasArch = args.includes(`--${arch}`);
  return [...(hasSystem ? [] : [`--${os}`]), ...args, ...(hasArch ? [] : [`--${arch}`])];
}

export const targetName = ({ os, arch }: PackagingTarget): string => `${os}-${arch}`;

/** Path of the server that a package contains. */
export const serverPath = (folder: string, target: PackagingTarget): string =>
  join(folder, "bin", targetName(target), target.os === "win" ? "argosy.exe" : "argosy");

/** Throws if the server is missing or made for another system: the package would install, and never start. */
export function requireServer(folder: string, target: PackagingTarget): void {
  const path = serverPath(folder, target);
  const hint = "Build it with scripts/build --target, and copy it there.";
  if (!existsSync(path)) throw new Error(`${path} is missing: the package would have no server. ${hint}`);
  const found = machineOf(path);
  if (found !== targetName(target))
    throw new Error(
      `${path} is ${found ?? "not an executable"}, and the package is for ${targetName(target)}. ${hint}`,
    );
}

/** Returns the system that an executable is for, by its header: ELF, Mach-O or PE. */
export function machineOf(path: string): string | undefined {
  const head = Buffer.alloc(4096);
  const file = openSync(path, "r");
  const length = readSync(file, head, 0, head.length, 0);
  closeSync(file);
  if (length < 64) return undefined;
  const named = (os: string, machine: number, x64: number, arm64: number) =>
    machine === x64 ? `${os}-x64` : machine === arm64 ? `${os}-arm64` : undefined;
  if (head.readUInt32BE(0) === 0x7f454c46) return named("linux", head.readUInt16LE(18), 0x3e, 0xb7);
  if (head.readUInt32LE(0) === 0xfeedfacf) return named("mac", head.readUInt32LE(4), 0x01000007, 0x0100000c);
  if (head.readUInt16BE(0) !== 0x4d5a) return undefined;
  const at = head.readUInt32LE(60);
  const isPe = at + 6 <= length && head.readUInt32BE(at) === 0x50450000;
  return isPe ? named("win", head.readUInt16LE(at + 4), 0x8664, 0xaa64) : undefined;
}
