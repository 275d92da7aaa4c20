import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { ToolProgress } from "../../../engine/tools/tool.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { RpcContext } from "./rpc-context.ts";

/** Sends the progress of a call to its client. */
export interface ProgressReport {
  add(event: RunEvent): void;
  /** Relays how far a tool is; at most one report of each tool in every 200 ms. */
  tool(told: ToolProgress): void;
  /** Sends the remaining text. Must be called when the run has ended, also after a failure. */
  end(): void;
}

type ProgressContext = Pick<RpcContext, "notify" | "signal"> & { deps: { clock: Clock } };

/** A model may send hundreds of tokens a second, so tokens are sent in groups. */
const holdMs = 200;
const heldCharsMax = 2000;
/** Longest silence: clients give up on a call that reports nothing for some time. */
const silenceMs = 10_000;
/** The text of a step may be a whole answer. */
const stepCharsMax = 1000;

/**
 * Progress notifications of one call. Steps, tool calls and results are sent at once; the answer's text is sent in pieces, at most five a
 * second, and a call without any of these is said to go on every 10 s. The joined pieces are the streamed answer. `progress` counts the notifications.
 */
export function createProgressReport(
  progressToken: string | number,
  { notify, signal, deps: { clock } }: ProgressContext,
): ProgressReport {
  let progress = 0;
  /** Times of the last reports, by tool. */
  const toldMs = new Map<string, number>();
  let held = "";
  let stopTimer: (() => void) | undefined;

  let stopSilence = clock.timer(silenceMs, breakSilence);

  function breakSilence(): void {
    send("silence", "Still at work.");
  }

  function send(kind: RunEvent["type"] | "silence" | "tool_progress", message: string): void {
    stopSilence();
    if (signal.aborted) return;
    stopSilence = clock.timer(silenceMs, breakSilence);
    progress++;
    const params = { progressToken, progress, message, _meta: { "argosy/event": kind } };
    // The client has disconnected, which is handled elsewhere.
    void notify({ method: "notifications/progress", params }).catch(() => undefined);
  }

  function flush(): void {
    const text = held;
    held = "";
    if (text !== "") send("token", text);
  }

  /** Sends the first piece at once, then collects pieces while the timer runs. */
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
    add(event) {
      if (event.type === "token") return hold(event.content);
      const message = describe(event);
      if (message === undefined) return;
      flush();
      send(event.type, message);
    },
    tool(told) {
      const nowMs = clock.monotonicMs();
      if (nowMs - (toldMs.get(told.tool) ?? Number.NEGATIVE_INFINITY) < holdMs) return;
      toldMs.set(told.tool, nowMs);
      flush();
      send("tool_progress", describeProgress(told));
    },
    end() {
      stopTimer?.();
      flush();
      stopSilence();
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

function describeProgress({ tool, done, total, message }: ToolProgress): string {
  const part = total === undefined ? String(done) : `${done} of ${total}`;
  return `${tool}: ${message === undefined || message === "" ? part : `${cut(message)} (${part})`}`;
}

function cut(text: string): string {
  if (text.length <= stepCharsMax) return text;
  return `${text.slice(0, stepCharsMax).toWellFormed()}…`;
}
