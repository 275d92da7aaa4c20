import type { Message } from "../models/model.ts";
import type { Thread } from "./thread.ts";

/** The thread with an instruction of its pattern at the end of the system prompt: the same text in every call, so that it is cached. */
export function instructed(thread: Thread, instruction: string): Thread {
  const at = thread.preamble.findLastIndex(({ role }) => role === "system");
  const system = thread.preamble[at];
  if (system === undefined) {
    const only: Message = { role: "system", content: instruction };
    return { ...thread, preamble: [only, ...thread.preamble] };
  }
  const longer = { ...system, content: `${system.content}\n\n${instruction}` };
  return { ...thread, preamble: thread.preamble.with(at, longer) };
}
