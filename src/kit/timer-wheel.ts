import type { Clock } from "./clock.ts";

/** A timer of the system that can stop keeping the process alive. */
export interface SystemTimer {
  ref(): void;
  unref(): void;
  cancel(): void;
}

/** Access to the system's time. */
export interface TimerPorts {
  monotonicMs(): number;
  setTimer(ms: number, fire: () => void): SystemTimer;
}

interface Entry {
  dueMs: number;
  fire: () => void;
}

/** Long timers fire together, up to this much late. */
const slotMs = 50;
/** Timers up to this long are exact. */
const exactUpToMs = 1000;
/** The longest timer that the system takes; longer ones are set again. */
const systemTimerMs = 2 ** 31 - 1;

/**
 * Returns a timer function for many long timers of which nearly all are cancelled, such as deadlines of runs and calls. They share one
 * timer of the system: setting and cancelling one costs a set operation each. A timer of more than a second fires up to 50 ms late.
 */
export function createTimerWheel({ monotonicMs, setTimer }: TimerPorts): Clock["timer"] {
  /** Timers by the slot in which they fire. */
  const slots = new Map<number, Set<Entry>>();
  let pending = 0;
  let armed: { slot: number; timer: SystemTimer } | undefined;

  const arm = (slot: number) => {
    armed?.timer.cancel();
    const ms = Math.min(Math.max(0, slot * slotMs - monotonicMs()), systemTimerMs);
    armed = { slot, timer: setTimer(ms, turn) };
  };

  const turn = () => {
    armed = undefined;
    const now = monotonicMs();
    const due: Entry[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const [slot, entries] of slots) {
      if (slot * slotMs > now) {
        next = Math.min(next, slot);
        continue;
      }
      slots.delete(slot);
      due.push(...entries);
      entries.clear();
    }
    pending -= due.length;
    if (next !== Number.POSITIVE_INFINITY) arm(next);
    due.sort((a, b) => a.dueMs - b.dueMs);
    for (const entry of due) fireAlone(entry);
  };

  return (ms, fire) => {
    if (!(ms > exactUpToMs)) return setTimer(ms, fire).cancel;
    const dueMs = monotonicMs() + ms;
    const slot = Math.ceil(dueMs / slotMs);
    const entry = { dueMs, fire };
    let entries = slots.get(slot);
    if (entries === undefined) {
      entries = new Set();
      slots.set(slot, entries);
    }
    entries.add(entry);
    if (pending++ === 0) armed?.timer.ref();
    if (armed === undefined || slot < armed.slot) arm(slot);
    return () => {
      if (entries.delete(entry)) {
        if (entries.size === 0) slots.delete(slot);
        // An idle wheel does not keep the process alive; the next timer of the system is often still of use.
        if (--pending === 0) armed?.timer.unref();
      }
    };
  };
}

/** A timer that throws must not keep the others from firing. */
function fireAlone({ fire }: Entry): void {
  try {
    fire();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
