import { useEffect, useRef, useState } from "react";
import type { GatewayEvent } from "../../contracts/gateway/events.ts";
import { refusalOf } from "../../contracts/refusal.ts";
import { useGateway } from "./use-gateway.ts";

/** State of the stream of changes. */
export type FollowState = "connecting" | "live" | "off";

const gatherMs = 40;
const firstWaitMs = 500;
const longestWaitMs = 15_000;

/**
 * Follows the gateway's changes while the page is open, and hands them over in groups. After a break it reconnects, and the first event is
 * again `stream`, `open`: what happened in between is not in the stream, so the page reads everything again.
 */
export function useFollow(changed: (events: readonly GatewayEvent[]) => void): FollowState {
  const gateway = useGateway();
  const [state, setState] = useState<FollowState>("connecting");
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    const over = new AbortController();
    let gathered: GatewayEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const gather = (event: GatewayEvent) => {
      gathered.push(event);
      timer ??= setTimeout(() => {
        timer = undefined;
        const events = gathered;
        gathered = [];
        if (!over.signal.aborted) latest.current(events);
      }, gatherMs);
    };
    const follow = async () => {
      let waitMs = firstWaitMs;
      while (!over.signal.aborted) {
        try {
          for await (const event of gateway.events({}, over.signal)) {
            if (event.about === "stream") {
              setState("live");
              waitMs = firstWaitMs;
            }
            gather(event);
          }
        } catch (thrown) {
          // A refusal stays one; everything else passes.
          const status = refusalOf(thrown)?.status;
          if (status !== undefined && status < 500) {
            setState("off");
            return;
          }
        }
        if (over.signal.aborted) return;
        setState("connecting");
        await pause(waitMs, over.signal);
        waitMs = Math.min(waitMs * 2, longestWaitMs);
      }
    };
    void follow();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [gateway]);
  return state;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
