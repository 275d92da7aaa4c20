import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

type Place = readonly [variable: string | undefined, belowHome: string];

/** Folders of a user by system: where programs keep settings, and files that can be made again. */
const places: Record<"settings" | "cache", Partial<Record<NodeJS.Platform, Place>> & { other: Place }> = {
  settings: { win32: ["APPDATA", "AppData/Roaming"], other: ["XDG_CONFIG_HOME", ".config"] },
  cache: {
    win32: ["LOCALAPPDATA", "AppData/Local"],
    darwin: [undefined, "Library/Caches"],
    other: ["XDG_CACHE_HOME", ".cache"],
  },
};

/**
 * Returns this program's folder of that kind for the user whose variables these are. Variables with a relative path are ignored: they would
 * be another folder in each workspace.
 */
export function userFolder(
  kind: keyof typeof places,
  variable: (name: string) => string | undefined,
  platform: NodeJS.Platform = process.platform,
): string {
  const [name, usual] = places[kind][platform] ?? places[kind].other;
  const named = name === undefined ? "" : (variable(name) ?? "");
  if (isAbsolute(named)) return join(named, "argosy");
  const home = variable("HOME") ?? "";
  return join(isAbsolute(home) ? home : homedir(), usual, "argosy");
}
