import { existsSync, readFileSync } from "node:fs";
import { AppError } from "../../../kit/app-error.ts";
import { replaceFile } from "../../../storage/files/replace-file.ts";

/** Names of the agents that are paused and take no runs. */
export interface PausedAgents {
  has(name: string): boolean;
  list(): readonly string[];
  set(name: string, isPaused: boolean): void;
  /** Calls `listener` after each change. */
  onChange(listener: () => void): void;
}

/** Loads the paused agents from `file` and saves each change at once. Without a file, they are forgotten when the process ends. */
export function openPausedAgents(file: string | undefined): PausedAgents {
  let paused: ReadonlySet<string> = new Set(file === undefined ? [] : readNames(file));
  const listeners: (() => void)[] = [];
  return {
    has: (name) => paused.has(name),
    list: () => [...paused],
    set(name, isPaused) {
      if (paused.has(name) === isPaused) return;
      const next = new Set(paused);
      if (isPaused) next.add(name);
      else next.delete(name);
      if (file !== undefined) replaceFile(file, `${JSON.stringify({ paused: [...next].sort() })}\n`, 0o600);
      paused = next;
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

function readNames(file: string): string[] {
  if (!existsSync(file)) return [];
  try {
    const { paused } = JSON.parse(readFileSync(file, "utf8"));
    if (Array.isArray(paused) && paused.every((name) => typeof name === "string")) return paused;
  } catch {
    // The error below also covers content that is not valid JSON.
  }
  throw new AppError(
    "unavailable",
    "paused_agents_unreadable",
    `${file}, the list of paused agents, can't be read or is damaged. Fix it, or delete it to start without paused agents.`,
  );
}
