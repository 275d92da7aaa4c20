import type { CassetteEntry } from "../../../contracts/daemon/cassettes/cassette-file.ts";

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
