import type { CassetteEntry } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { recordedAnswer } from "../../../contracts/daemon/cassettes/recorded-call.ts";

const lineMax = 160;

/** Summarizes an entry in one line. */
export function entryLine(entry: CassetteEntry): string {
  return line(entry).replaceAll(/\s+/g, " ").trim().slice(0, lineMax);
}

function line(entry: CassetteEntry): string {
  switch (entry.kind) {
    case "model": {
      const { text, toolCalls, error } = recordedAnswer(entry);
      if (error !== undefined) return `${error.code}: ${error.message}`;
      const calls = toolCalls.map(({ name, input }) => `${name}(${JSON.stringify(input)})`).join(", ");
      return [text.slice(0, lineMax * 2), calls].filter((part) => part !== "").join(" → ");
    }
    case "tool":
    case "worker":
      return `${textAt(entry.request, "tool", "agent")} → ${JSON.stringify(entry.answer.result).slice(0, lineMax * 2)}`;
    case "memory":
      return String(entry.answer.turns.length);
    case "recall":
      return String(entry.answer.items.length);
    case "budget":
      return String(entry.answer.answer_tokens_max ?? "");
    case "clock":
      return entry.answer.at;
    case "random":
    case "id":
      return String(entry.answer.value);
  }
}

/** Returns the first of these keys that is a text. */
function textAt(value: unknown, ...keys: string[]): string {
  if (typeof value !== "object" || value === null) return "";
  for (const key of keys) {
    const found = (value as Record<string, unknown>)[key];
    if (typeof found === "string") return found;
  }
  return "";
}

/** An entry, and its number among entries of its kind. */
export interface NumberedEntry {
  entry: CassetteEntry;
  /** Number of the entry within its kind, from 1. A fork begins after a model call of this number. */
  number: number;
}

/** Calls that leave the process, which are shown first. */
const calls: ReadonlySet<CassetteEntry["kind"]> = new Set(["model", "tool", "worker"]);

/** Returns the entries in order of their start: only the calls, or everything that the run read. */
export function numberEntries(entries: readonly CassetteEntry[], withAll: boolean): NumberedEntry[] {
  const counts = new Map<CassetteEntry["kind"], number>();
  return entries
    .toSorted((a, b) => a.seq - b.seq)
    .map((entry) => {
      const number = (counts.get(entry.kind) ?? 0) + 1;
      counts.set(entry.kind, number);
      return { entry, number };
    })
    .filter(({ entry }) => withAll || calls.has(entry.kind));
}
