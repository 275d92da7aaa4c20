import type { Message } from "../models/model.ts";

/** What stands before a conversation: the system prompt, or nothing when it is empty. */
export type Preamble = readonly Message[];

/**
 * Makes preambles; the text of last time gives the very one of last time, so that whoever remembers messages by their
 * identity (the writers of request bodies do) knows it already.
 */
export function createPreambles(): (system: string) => Preamble {
  let last: { system: string; preamble: Preamble } | undefined;
  return (system) => {
    if (last?.system !== system) {
      last = { system, preamble: system === "" ? [] : [{ role: "system", content: system }] };
    }
    return last.preamble;
  };
}
