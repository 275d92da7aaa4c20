import { existsSync, readFileSync } from "node:fs";
import { AppError } from "../../../kit/app-error.ts";
import { replaceFile } from "../../../storage/replace-file.ts";

/** The names of the agents that take no runs for now. */
export interface PausedAgents {
  has(name: string): boolean;
  set(name: string, isPaused: boolean): void;
  /** Calls `listener` after each change. */
  onChange(listener: () => void): void;
}

/** Paused agents as `file` has them, where each change is written at once; without a file they are forgotten at the end. */
export function openPausedAgents(file: string | undefined): PausedAgents {
  let paused: ReadonlySet<string> = new Set(file === undefined ? [] : readNames(file));
  const listeners: (() => void)[] = [];
  return {
    has: (name) => paused.has(name),
    set(name, isPaused) {
      if (paused.has(name) === isPaused) return;
      const next = new Set(paused);
      if (isPaused) next.add(name);
      else next.delete(name);
      if (file !== undefined) replaceFile(file, `${JSON.stringify({ paused: [...next].sort() })}\n`, 0o600);
      paused = next;
      for (const tell of listeners) tell();
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
    // Said below, as for any other content that isn't ours.
  }
  throw new AppError(
    "unavailable",
    "paused_agents_unreadable",
    `${file}, which says what agents are paused, can't be read or is damaged. Mend it, or remove it to start with none paused.`,
  );
}
