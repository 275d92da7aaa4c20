import type { ElectronApi } from "./electron-api.ts";
import type { Timer, WaitingCall } from "./sidecar.ts";
import { texts } from "./texts.ts";

export interface ApprovalWatchOptions {
  /** Lists the waiting calls. */
  list: (signal: AbortSignal) => Promise<readonly WaitingCall[]>;
  timer: Timer;
  /** Called after each look at the list. `fresh` are the calls that were not there at any look before. */
  told: (waiting: readonly WaitingCall[], fresh: readonly WaitingCall[]) => void;
}

const everyMs = 10_000;
const patienceMs = 8_000;

/** Looks every 10 s for calls that wait for approval. The returned function stops that. */
export function watchApprovals({ list, timer, told }: ApprovalWatchOptions): () => void {
  let known = new Set<string>();
  const end = new AbortController();
  let cancelNext = () => {};
  const look = async () => {
    const tooLong = new AbortController();
    const cancel = timer(patienceMs, () => tooLong.abort());
    try {
      const listed = await list(AbortSignal.any([end.signal, tooLong.signal]));
      if (end.signal.aborted) return;
      // Their inputs are left out: a notification may show on a locked screen.
      const waiting = listed.map(({ id, agent, tool }): WaitingCall => ({ id, agent, tool }));
      const fresh = waiting.filter(({ id }) => !known.has(id));
      known = new Set(waiting.map(({ id }) => id));
      told(waiting, fresh);
    } catch {
      // The server is busy or gone; the next look tries again, and the app reports a server that ended.
    } finally {
      cancel();
      if (!end.signal.aborted) cancelNext = timer(everyMs, () => void look());
    }
  };
  void look();
  return () => {
    end.abort();
    cancelNext();
  };
}

/** Announces calls that have begun to wait, in one notification. */
export function announceCalls(
  Notification: ElectronApi["Notification"],
  [first, ...others]: readonly Pick<WaitingCall, "agent" | "tool">[],
  show: () => void,
): void {
  if (first === undefined || !Notification.isSupported()) return;
  const notice = new Notification(
    others.length === 0
      ? { title: texts.approvalTitle, body: texts.approvalText(first.agent, first.tool) }
      : { title: texts.approvalsTitle(others.length + 1), body: texts.approvalsText },
  );
  notice.on("click", show);
  notice.show();
}
