import { Value } from "@sinclair/typebox/value";
import { CassetteSummary } from "../../contracts/daemon/cassettes/cassette-file.ts";

/** Reads the summary from the first line of a cassette; undefined if there is none. The line is valid JSON except for its missing end. */
export function readHead(line: string): CassetteSummary | undefined {
  try {
    const { summary } = JSON.parse(`${line.replace(/,\s*$/, "")}}`);
    return Value.Check(CassetteSummary, summary) ? summary : undefined;
  } catch {
    return undefined;
  }
}
