import { type Clock, sleep } from "../../../../kit/clock.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { retryDelayMs } from "../../../../kit/retry.ts";
import type { StatelessPeer } from "./peer.ts";

export interface ListenOptions {
  clock: Clock;
  signal: AbortSignal;
  toolsChanged: () => void;
}

const retryDelaysMs = [1000, 5000, 30_000, 60_000, 300_000];
/** A subscription that lasted this long has worked. */
const workedMs = 60_000;
/** Attempts in a row that bring nothing, after which the server is not asked again. */
const attemptsMax = 5;

/**
 * Keeps a subscription to changes of a server's tools until the signal aborts. If it breaks, it is opened again, and the tools count as
 * changed. Without one, a list is fresh as long as the server said.
 */
export function listenForTools(
  peer: StatelessPeer,
  { clock, signal, toolsChanged }: ListenOptions,
): { isOpen: () => boolean } {
  let isOpen = false;
  let hasBeenOpen = false;
  const notified = (method: string, params: Readonly<Record<string, unknown>>) => {
    if (method === "notifications/subscriptions/acknowledged") {
      isOpen = isRecord(params.notifications) && params.notifications.toolsListChanged === true;
      if (isOpen && hasBeenOpen) toolsChanged();
      hasBeenOpen ||= isOpen;
    } else if (method === "notifications/tools/list_changed" && isOpen) toolsChanged();
  };
  const keep = async () => {
    const asked = { notifications: { toolsListChanged: true } };
    for (let failures = 0; failures < attemptsMax; ) {
      const fromMs = clock.monotonicMs();
      await peer.ask("subscriptions/listen", asked, { signal, notified }).catch(() => undefined);
      isOpen = false;
      if (signal.aborted) return;
      failures = clock.monotonicMs() - fromMs >= workedMs ? 1 : failures + 1;
      await sleep(clock, retryDelayMs(retryDelaysMs, failures), signal);
    }
  };
  void keep().catch(() => undefined);
  return { isOpen: () => isOpen };
}
