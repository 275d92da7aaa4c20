import { interruptionsMax } from "../../storage/begun-work.ts";
import type { EventState } from "./schema.ts";

/*
 * The life of a delivered event.
 *
 * waiting  It waits for its time, or for earlier events of its conversation.
 *          claimed → working.
 * working  One worker has it under a lease.
 *          done        → done.
 *          later       → waiting: the run goes on, or the platform takes no run at the moment. That is not a failed try.
 *          broke       → waiting, and the wait grows. The fifth time → parked.
 *          stopped     → waiting at once: the process stopped in order.
 *          interrupted → waiting at once: the process died. That is not a failed try of the event, but the third time → parked, because then
 *                        the event itself may be what kills the process.
 * done, parked  Closed. A parked event holds up nothing.
 *          retried → waiting at once, parked events only: a person asks for it, so the counts begin anew.
 */

/** The part of a row that its transitions read and change. */
export interface InboundState {
  state: EventState;
  tries: number;
  interruptions: number;
  dueAt: Date;
}

export type InboundInput =
  | { type: "claimed" }
  | { type: "done" }
  | { type: "later"; waitMs: number }
  /** `spread`: 0 to 1, spreads the waits. */
  | { type: "broke"; spread: number }
  | { type: "stopped" }
  | { type: "interrupted" }
  | { type: "retried" };

export const triesMax = 5;
/** From so many interruptions on, an event is claimed only while no other such event is in work: innocent ones among them are then done. */
export const suspectFrom = 2;
/** Waits after the first failed try, the second, and so on. */
export const retryWaitsMs = [1_000, 5_000, 15_000, 60_000];

/** State that an input is for, if it isn't `working`. */
const stateBefore: Partial<Record<InboundInput["type"], EventState>> = {
  claimed: "waiting",
  retried: "parked",
};

/** Returns the state after `input`. Inputs that don't apply to the state are ignored. */
export function step(state: InboundState, input: InboundInput, now: Date): InboundState {
  if (state.state !== (stateBefore[input.type] ?? "working")) return state;
  switch (input.type) {
    case "claimed":
      return { ...state, state: "working" };
    case "done":
      return { ...state, state: "done" };
    case "later":
      return { ...state, state: "waiting", dueAt: after(now, input.waitMs) };
    case "broke": {
      const tries = state.tries + 1;
      if (tries >= triesMax) return { ...state, tries, state: "parked" };
      const waitMs = (retryWaitsMs[tries - 1] ?? 0) * (0.8 + 0.4 * input.spread);
      return { ...state, tries, state: "waiting", dueAt: after(now, Math.round(waitMs)) };
    }
    case "retried":
      return { state: "waiting", tries: 0, interruptions: 0, dueAt: now };
    case "stopped":
      return { ...state, state: "waiting", dueAt: now };
    case "interrupted": {
      const interruptions = state.interruptions + 1;
      const isOver = interruptions >= interruptionsMax;
      return { ...state, interruptions, state: isOver ? "parked" : "waiting", dueAt: now };
    }
  }
}

const after = (now: Date, ms: number) => new Date(now.getTime() + ms);
