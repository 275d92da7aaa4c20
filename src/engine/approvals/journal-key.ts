import type { TapedBy } from "../cassettes/tape.ts";
import type { JournalEntry } from "./paused-run.ts";

/**
 * Key of a journal entry: SHA-256 of the kind, the agent, its role and the request. A resumed run makes the same requests and so finds its
 * entries.
 */
export function journalKey(kind: JournalEntry["kind"], { agent, role }: TapedBy, request: unknown): string {
  return new Bun.CryptoHasher("sha256")
    .update(`${kind}\n${agent}\n${role ?? ""}\n${JSON.stringify(request)}`)
    .digest("hex");
}
