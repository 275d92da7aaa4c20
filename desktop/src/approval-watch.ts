import type { ApprovalList } from "../../src/contracts/daemon/runs/approvals.ts";
import type { Timer } from "./sidecar.ts";

/** A call that waits for a person. Its input is left out: a notification may show on a locked screen. */
export interface WaitingCall {
  id: string;
  agent: string;
  tool: string;
}

export interface ApprovalWatchOptions {
  daemonUrl: string;
  token: string;
  timer: Timer;
  /** Called after each look at the list. `fresh` are the calls that were not there at any look before. */
  told: (waiting: readonly WaitingCall[], fresh: readonly WaitingCall[]) => void;
}

const everyMs = 10_000;
const patienceMs = 8_000;

/** Looks every 10 s for calls that wait for approval. The returned function stops that. */
export function watchApprovals({ daemonUrl, token, timer, told }: ApprovalWatchOptions): () => void {
  let known = new Set<string>();
  const end = new AbortController();
  let cancelNext = () => {};
  const look = async () => {
    const tooLong = new AbortController();
    const cancel = timer(patienceMs, () => tooLong.abort());
    try {
      const answer = await fetch(`${daemonUrl}/v1/approvals?status=pending&limit=200`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.any([end.signal, tooLong.signal]),
      });
      if (!answer.ok) return;
      const { approvals } = (await answer.json()) as ApprovalList;
      if (end.signal.aborted) return;
      const waiting = approvals.map(({ id, agent, tool }): WaitingCall => ({ id, agent, tool }));
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
