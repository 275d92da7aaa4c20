export interface SenderLimitRule {
  messagesMax: number;
  windowMs: number;
}

/** `answer`: within the limit; `tell`: the first message beyond the limit; `ignore`: a further one in the same window. */
export type Verdict = "answer" | "tell" | "ignore";

interface Window {
  startedMs: number;
  messages: number;
}

/** Maximum number of senders tracked. Beyond it, senders whose window is over are dropped. */
const sendersMax = 10_000;

/** Decides about a message that arrived from `sender` at `at`. Messages must be passed in order of arrival. */
export type SenderLimit = (sender: string, at: Date) => Verdict;

/**
 * Counts each sender's messages in windows that begin with a message. Uses arrival times, so messages that waited for a restart do not
 * count as written at once. Counts are in memory.
 */
export function createSenderLimit({ messagesMax, windowMs }: SenderLimitRule): SenderLimit {
  const windows = new Map<string, Window>();
  /** If the clock is set back, the window must not become longer. */
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
