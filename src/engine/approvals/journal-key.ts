import type { TapedBy } from "../cassettes/tape.ts";
import type { JournalEntry } from "./paused-run.ts";

/** What an answer is found by: SHA-256 over who asked for what. A run that goes on makes its requests in the same way. */
export function journalKey(kind: JournalEntry["kind"], { agent, role }: TapedBy, request: unknown): string {
  return new Bun.CryptoHasher("sha256")
    .update(`${kind}\n${agent}\n${role ?? ""}\n${JSON.stringify(request)}`)
    .digest("hex");
}
