import type { CassetteEntry } from "../../../contracts/daemon/cassette-file.ts";

/** What was asked and answered, with its place among others of its kind. */
export interface NumberedEntry {
  entry: CassetteEntry;
  /** Counted from 1 over the entries of its kind; forks begin after a model call of this number. */
  number: number;
}

/** Calls that leave the process: what a reader wants to see first. */
const calls: ReadonlySet<CassetteEntry["kind"]> = new Set(["model", "tool", "worker"]);

/** The entries in the order in which they began; only the calls, or all that the run read. */
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
