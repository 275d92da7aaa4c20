import { untapeError } from "../cassettes/taped-error.ts";
import type { Turn } from "../memory/conversation.ts";
import type { JournalEntry, JournalTurn } from "./paused-run.ts";

/** Turns as JSON. */
export function writtenTurns(turns: readonly Turn[]): JournalTurn[] {
  return turns.map((turn) => ({ ...turn, at: turn.at.toISOString() }));
}

/** Turns that the conversation memory returned. Throws the recorded error if reading them failed. */
export function playedTurns({ turns, error }: Extract<JournalEntry, { kind: "turns" }>): Turn[] {
  if (error !== undefined) throw untapeError(error);
  return turns.map((turn) => ({ ...turn, at: new Date(turn.at) }));
}
