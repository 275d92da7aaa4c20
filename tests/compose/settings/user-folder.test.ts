import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { join } from "node:path";
import { userFolder } from "../../../src/compose/settings/user-folder.ts";

test.each<[NodeJS.Platform, "settings" | "cache", Record<string, string>, string]>([
  ["linux", "cache", { HOME: "/home/a" }, "/home/a/.cache/argosy"],
  ["linux", "cache", { HOME: "/home/a", XDG_CACHE_HOME: "/var/c" }, "/var/c/argosy"],
  ["linux", "cache", { HOME: "/home/a", XDG_CACHE_HOME: "c" }, "/home/a/.cache/argosy"],
  ["linux", "cache", { HOME: "", XDG_CACHE_HOME: "" }, join(homedir(), ".cache/argosy")],
  ["darwin", "cache", { HOME: "/Users/a", XDG_CACHE_HOME: "/var/c" }, "/Users/a/Library/Caches/argosy"],
  ["win32", "cache", { HOME: "/a", LOCALAPPDATA: "/a/local" }, "/a/local/argosy"],
  ["win32", "cache", { HOME: "/a" }, "/a/AppData/Local/argosy"],
  ["linux", "settings", { HOME: "/home/a" }, "/home/a/.config/argosy"],
  ["darwin", "settings", { HOME: "/Users/a", XDG_CONFIG_HOME: "/x" }, "/x/argosy"],
  ["win32", "settings", { HOME: "/a", APPDATA: "/a/roaming" }, "/a/roaming/argosy"],
])("on %s the folder for %s with %j is %s", (platform, kind, variables, folder) => {
  expect(userFolder(kind, (name) => variables[name], platform)).toBe(folder);
});
