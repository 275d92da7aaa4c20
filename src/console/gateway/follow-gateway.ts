import { useEffect, useRef, useState } from "react";
import type { GatewayEvent } from "../../contracts/gateway/events.ts";
import { refusalOf } from "../../contracts/refusal.ts";
import { inGroups } from "./in-groups.ts";
import { useGateway } from "./use-gateway.ts";

/** State of the stream of changes; `refused` is the gateway's reason not to give one. */
export type FollowState = "connecting" | "live" | { refused: string };

const gatherMs = 40;
const firstWaitMs = 500;
const longestWaitMs = 15_000;

/**
 * Follows the gateway's changes while the page is visible, and hands them over in groups. `changed` returns when the page has read what it
 * needs; the next group comes after that, so that a busy gateway costs a page one read at a time. After a break it reconnects, and the first
 * event is again `stream`, `open`: what happened in between is not in the stream, so the page reads everything again. A hidden page has no
 * stream, because a browser opens few connections to a server for all its tabs together; one that notifies its user follows on.
 */
export function useFollow(
  changed: (events: readonly GatewayEvent[]) => Promise<unknown> | undefined,
  { whileHidden = false }: { whileHidden?: boolean } = {},
): FollowState {
  const gateway = useGateway();
  const [state, setState] = useState<FollowState>("connecting");
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    const over = new AbortController();
    const gather = inGroups<GatewayEvent>(
      () => pause(gatherMs, over.signal),
      (events) => (over.signal.aborted ? undefined : latest.current(events)),
    );
    const follow = async () => {
      let waitMs = firstWaitMs;
      while (!over.signal.aborted) {
        if (!whileHidden) await visible(over.signal);
        const hidden = whileHidden ? never(over.signal) : abortWhenHidden(over.signal);
        try {
          for await (const event of gateway.events({}, hidden.signal)) {
            if (event.about === "stream") {
              setState("live");
              waitMs = firstWaitMs;
            }
            gather(event);
          }
        } catch (thrown) {
          // A refusal stays one; everything else passes.
          const refusal = refusalOf(thrown);
          if (refusal?.status !== undefined && refusal.status < 500) {
            setState({ refused: refusal.message });
            return;
          }
        } finally {
          hidden.end();
        }
        if (over.signal.aborted) return;
        setState("connecting");
        if (hidden.signal.aborted) continue;
        await pause(waitMs, over.signal);
        waitMs = Math.min(waitMs * 2, longestWaitMs);
      }
    };
    void follow();
    return () => over.abort();
  }, [gateway, whileHidden]);
  return state;
}

const isHidden = () => document.visibilityState === "hidden";

/** Resolves when the page is visible, or the signal aborts. */
function visible(signal: AbortSignal): Promise<void> {
  if (!isHidden()) return Promise.resolve();
  return new Promise((resolve) => {
    const shown = () => {
      if (isHidden() && !signal.aborted) return;
      document.removeEventListener("visibilitychange", shown);
      signal.removeEventListener("abort", shown);
      resolve();
    };
    document.addEventListener("visibilitychange", shown);
    signal.addEventListener("abort", shown);
  });
}

const never = (signal: AbortSignal) => ({ signal, end: () => undefined });

/** Returns a signal that aborts when the page is hidden, or with the other signal. `end` stops watching. */
function abortWhenHidden(signal: AbortSignal): { signal: AbortSignal; end: () => void } {
  const hidden = new AbortController();
  const look = () => {
    if (isHidden()) hidden.abort();
  };
  document.addEventListener("visibilitychange", look);
  return {
    signal: AbortSignal.any([signal, hidden.signal]),
    end: () => document.removeEventListener("visibilitychange", look),
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
