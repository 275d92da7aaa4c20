export interface SenderLimitRule {
  messagesMax: number;
  windowMs: number;
}

/** `answer`: it is within the limit; `tell`: the first beyond it; `ignore`: another beyond it in the same window. */
export type Verdict = "answer" | "tell" | "ignore";

interface Window {
  startedMs: number;
  messages: number;
}

/** Senders that are looked after at once; beyond it, those whose window is over are forgotten. */
const sendersMax = 10_000;

/** What is done about a message that came from `sender` at `at`; messages are told in the order in which they came. */
export type SenderLimit = (sender: string, at: Date) => Verdict;

/**
 * Counts each sender's messages in windows that begin with a message. It goes by when they came, so that those that waited
 * for a restart don't count as written all at once. Counts are in memory.
 */
export function createSenderLimit({ messagesMax, windowMs }: SenderLimitRule): SenderLimit {
  const windows = new Map<string, Window>();
  /** A clock that was set back must not make a window longer. */
  const isOver = ({ startedMs }: Window, atMs: number) => atMs < startedMs || atMs - startedMs >= windowMs;
  const forgetOld = (atMs: number) => {
    for (const [sender, window] of windows) if (isOver(window, atMs)) windows.delete(sender);
  };
  return (sender, at) => {
    const atMs = at.getTime();
    let window = windows.get(sender);
    if (window === undefined || isOver(window, atMs)) {
      if (windows.size >= sendersMax) forgetOld(atMs);
      window = { startedMs: atMs, messages: 0 };
      windows.set(sender, window);
    }
    window.messages++;
    if (window.messages <= messagesMax) return "answer";
    return window.messages === messagesMax + 1 ? "tell" : "ignore";
  };
}
