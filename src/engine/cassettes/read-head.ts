import type { CassetteSummary } from "../../contracts/daemon/cassette-file.ts";

/** The first line of a cassette, which is whole JSON but for its end: enough for a list. */
export function readHead(line: string): { version: number; argosy: string; summary: CassetteSummary } {
  return JSON.parse(`${line.replace(/,\s*$/, "")}}`);
}
