import { Value } from "@sinclair/typebox/value";
import { CassetteSummary } from "../../contracts/daemon/cassette-file.ts";

/** What the first line of a cassette says, which is whole JSON but for its end; undefined when it is none. */
export function readHead(line: string): CassetteSummary | undefined {
  try {
    const { summary } = JSON.parse(`${line.replace(/,\s*$/, "")}}`);
    return Value.Check(CassetteSummary, summary) ? summary : undefined;
  } catch {
    return undefined;
  }
}
