import type { RunEvent } from "../../../engine/run/run-event.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { RpcContext } from "./methods.ts";

/** Tells a client how its call gets on. */
export interface ProgressReport {
  tell(event: RunEvent): void;
  /** Tells what is left to tell; to be called when the run has ended, however it ended. */
  end(): void;
}

type ProgressContext = Pick<RpcContext, "notify" | "signal"> & { deps: { clock: Clock } };

/** Tokens come by the hundred a second: what a reader can't tell apart goes out together. */
const holdMs = 200;
const heldCharsMax = 2000;
/** A step's text can be a whole answer. */
const stepCharsMax = 1000;

/**
 * Progress notifications of one call: each step, tool call and result at once, and the text of the answer in pieces, at most
 * five a second; the pieces joined are the streamed answer. `progress` counts them.
 */
export function createProgressReport(
  progressToken: string | number,
  { notify, signal, deps: { clock } }: ProgressContext,
): ProgressReport {
  let progress = 0;
  let held = "";
  let stopTimer: (() => void) | undefined;

  function send(kind: RunEvent["type"], message: string): void {
    if (signal.aborted) return;
    progress++;
    const params = { progressToken, progress, message, _meta: { "argosy/event": kind } };
    // Who can't be told any more has left, and is being noticed elsewhere.
    void notify({ method: "notifications/progress", params }).catch(() => undefined);
  }

  function flush(): void {
    const text = held;
    held = "";
    if (text !== "") send("token", text);
  }

  /** The first piece goes at once; while the timer runs, pieces are gathered. */
  function hold(text: string): void {
    held += text;
    if (stopTimer === undefined || held.length >= heldCharsMax) {
      flush();
      stopTimer ??= clock.timer(holdMs, onTimer);
    }
  }

  function onTimer(): void {
    stopTimer = held === "" ? undefined : clock.timer(holdMs, onTimer);
    flush();
  }

  return {
    tell(event) {
      if (event.type === "token") return hold(event.content);
      const message = describe(event);
      if (message === undefined) return;
      flush();
      send(event.type, message);
    },
    end() {
      stopTimer?.();
      flush();
    },
  };
}

function describe(event: RunEvent): string | undefined {
  switch (event.type) {
    case "tool_call":
      return `Calls ${event.tool}.`;
    case "tool_result":
      return `${event.tool} ${event.ok ? "answered" : "failed"}.`;
    case "step":
      return `${event.name}: ${cut(event.content)}`;
    case "handoff":
      return `${event.from} hands over to ${event.to}.`;
    case "guardrail":
      return `${event.guardrail} (${event.stage}): ${event.outcome}.`;
    default:
      return undefined;
  }
}

function cut(text: string): string {
  if (text.length <= stepCharsMax) return text;
  return `${text.slice(0, stepCharsMax).toWellFormed()}…`;
}
