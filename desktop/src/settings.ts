import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Bounds } from "./electron-api.ts";

/** Settings that the app keeps from one start to the next. */
export interface Settings {
  /** Workspaces, the last one first. */
  recent: readonly string[];
  window?: Bounds & { maximized: boolean };
  /** A fixed port and key of the server, which other apps use; undefined: a free port, and a new key at each start. */
  server?: { port: number; key: string };
  /** Workspaces whose programs the person does not want to run. */
  declined: readonly string[];
  /** Variables of the person's environment that the server gets, such as OPENAI_API_KEY. Edited in the file. */
  variables: readonly string[];
}

export interface SettingsFile {
  read(): Settings;
  change(change: { [Key in keyof Settings]?: Settings[Key] | undefined }): void;
}

const recentMax = 10;

/** Opens the file of the settings. A missing or damaged file counts as empty: nothing in it is worth refusing to start. */
export function openSettings(path: string): SettingsFile {
  let settings = parseSettings(readText(path));
  return {
    read: () => settings,
    change(change) {
      settings = { ...settings, ...change } as Settings;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
  };
}

/** Returns the list with `workspace` first, each workspace once. */
export const withRecent = (recent: readonly string[], workspace: string): string[] =>
  [workspace, ...recent.filter((other) => other !== workspace)].slice(0, recentMax);

function parseSettings(text: string): Settings {
  let value: {
    recent?: unknown;
    window?: unknown;
    variables?: unknown;
    server?: unknown;
    declined?: unknown;
  } | null = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Damaged: as if it were missing.
  }
  const window = value?.window;
  return {
    recent: texts(value?.recent).slice(0, recentMax),
    variables: texts(value?.variables),
    declined: texts(value?.declined),
    ...(isServer(value?.server) ? { server: value.server } : {}),
    ...(isWindow(window) ? { window } : {}),
  };
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** A key that is too short to be safe, or a port that there is not, counts as none. */
function isServer(value: unknown): value is NonNullable<Settings["server"]> {
  const { port, key } = (value ?? {}) as Record<string, unknown>;
  const isPort = Number.isInteger(port) && Number(port) >= 1024 && Number(port) <= 65_535;
  return isPort && typeof key === "string" && /^[\w-]{32,}$/.test(key);
}

function isWindow(value: unknown): value is NonNullable<Settings["window"]> {
  const bounds = (value ?? {}) as Record<string, unknown>;
  return (
    ["x", "y", "width", "height"].every((key) => Number.isInteger(bounds[key])) &&
    typeof bounds.maximized === "boolean"
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Returns saved bounds if enough of the window is visible on a display to move it; a display may have gone. */
export function visibleBounds(saved: Bounds | undefined, workAreas: readonly Bounds[]): Partial<Bounds> {
  if (saved === undefined) return {};
  const { x, y, width, height } = saved;
  const isVisible = workAreas.some(
    (area) =>
      overlap(x, width, area.x, area.width) >= 100 &&
      overlap(y, height, area.y, area.height) >= 100 &&
      y >= area.y,
  );
  return isVisible ? { x, y, width, height } : {};
}

const overlap = (from: number, length: number, otherFrom: number, otherLength: number) =>
  Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom);
