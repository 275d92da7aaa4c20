import { existsSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Whose file an executable is, and how that one upgrades it. */
export interface Packager {
  name: string;
  upgrade: string;
}

const places: readonly (readonly [RegExp, Packager])[] = [
  [/\/(Cellar|linuxbrew|homebrew)\//i, { name: "Homebrew", upgrade: "brew upgrade argosy" }],
  [/[\\/]WinGet[\\/]/i, { name: "winget", upgrade: "winget upgrade argosy" }],
  [/[\\/]scoop[\\/]/i, { name: "Scoop", upgrade: "scoop update argosy" }],
  [/^\/nix\/store\//, { name: "Nix", upgrade: "the configuration that names this version" }],
  [/^\/snap\//, { name: "snap", upgrade: "snap refresh argosy" }],
  [
    /[\\/]resources[\\/]bin[\\/]argosy(\.exe)?$/i,
    { name: "the desktop app", upgrade: "Check for updates in the app's menu" },
  ],
];

/** The list of a Debian package's files. */
const debianList = "/var/lib/dpkg/info/argosy.list";

/** Returns whose file the executable at this real path is; undefined if it is the user's own. */
export function packagerOf(program: string, listPath = debianList): Packager | undefined {
  const known = places.find(([pattern]) => pattern.test(program));
  if (known !== undefined) return known[1];
  const debian = { name: "a Debian package", upgrade: "apt install ./argosy_<version>_<architecture>.deb" };
  if (existsSync(listPath) && readFileSync(listPath, "utf8").split("\n").includes(program)) return debian;
  // A distribution's own folders belong to its package manager, whichever it is.
  if (/^\/(usr\/)?s?bin$/.test(dirname(program)) && basename(program) === "argosy")
    return { name: "this system's package manager", upgrade: "the package manager" };
  return undefined;
}
