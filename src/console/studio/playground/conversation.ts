import type { ApprovalDecision } from "../../../contracts/daemon/runs/approvals.ts";
import type { RunRequest } from "../../../contracts/daemon/runs/run.ts";
import type { ToolCallResult } from "../../../contracts/daemon/runs/tool-calls.ts";
import {
  type ApprovalChoice,
  type Awaited,
  interruptedRun,
  type Mark,
  type PlayFrame,
  refusedRun,
  resumedRun,
  type ShownRun,
  startedRun,
  type TimedFrame,
  withFrames,
} from "../../runs/run-state.ts";
import { callTexts } from "../../texts/shell.ts";

/** One agent's run in one column. */
export interface PlayedRun {
  key: string;
  lane: number;
  agent: string;
  request: RunRequest;
  state: ShownRun;
}

/** A question, and the run of each column. */
export interface Round {
  key: string;
  query: string;
  runs: readonly PlayedRun[];
}

export interface PlaygroundQuestion {
  lane: number;
  agent: string;
  request: RunRequest;
}

type Frames = AsyncIterable<PlayFrame>;

export interface ConversationParts {
  ask: (agent: string, request: RunRequest, signal: AbortSignal) => Frames;
  decide: (id: string, verdict: ApprovalChoice, request: ApprovalDecision, signal: AbortSignal) => Frames;
  sendResult: (id: string, result: ToolCallResult, signal: AbortSignal) => Frames;
  /** Runs `flush` at the next repaint, so that all frames until then are rendered at once. */
  schedule: (flush: () => void) => void;
  nowMs: () => number;
  /** Called for each run that ends or waits. */
  settled?: (run: PlayedRun) => void;
}

/** Questions and answers of one page. */
export interface PlaygroundConversation {
  /** Adds a listener, for `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  read(): readonly Round[];
  /** Sends the same question in every column. */
  ask(query: string, asked: readonly PlaygroundQuestion[]): void;
  /** Adds a run that is already waiting, as a round of its own under this key. */
  adopt(key: string, awaited: Awaited): void;
  decide(key: string, verdict: ApprovalChoice, request: ApprovalDecision): void;
  sendResult(key: string, result: ToolCallResult): void;
  /** Stops one run, or all of them. */
  stop(key?: string): void;
  clear(): void;
}

/** Keeps rounds of runs, and applies their frames at most once per repaint. */
export function createConversation(parts: ConversationParts): PlaygroundConversation {
  const { ask, decide, sendResult, schedule, nowMs, settled } = parts;
  const listeners = new Set<() => void>();
  const waiting = new Map<string, TimedFrame[]>();
  const controllers = new Map<string, AbortController>();
  let rounds: readonly Round[] = [];
  let isScheduled = false;
  let asked = 0;

  function change(key: string, next: (state: ShownRun) => ShownRun): void {
    rounds = rounds.map((round) => {
      if (!round.runs.some((run) => run.key === key)) return round;
      const runs = round.runs.map((run) => (run.key === key ? { ...run, state: next(run.state) } : run));
      return { ...round, runs };
    });
  }
  function tell(): void {
    for (const listener of listeners) listener();
  }
  function flush(): void {
    isScheduled = false;
    if (waiting.size === 0) return;
    for (const [key, frames] of waiting) change(key, (state) => withFrames(state, frames));
    waiting.clear();
    tell();
  }
  function take(key: string, frame: PlayFrame): void {
    const timed = { frame, atMs: nowMs() };
    const earlier = waiting.get(key);
    if (earlier === undefined) waiting.set(key, [timed]);
    else earlier.push(timed);
    if (isScheduled) return;
    isScheduled = true;
    schedule(flush);
  }
  const find = (key: string) => rounds.flatMap(({ runs }) => runs).find((run) => run.key === key);

  /** `waiting`: the run before the decision or result that `open` sends. */
  async function follow(
    key: string,
    open: (signal: AbortSignal) => Frames,
    waiting?: ShownRun,
  ): Promise<void> {
    const controller = new AbortController();
    controllers.set(key, controller);
    let thrown: unknown = new Error(callTexts.cutOff);
    let hasFrames = false;
    try {
      for await (const frame of open(controller.signal)) {
        if (controller.signal.aborted) break;
        hasFrames = true;
        take(key, frame);
      }
    } catch (failure) {
      thrown = failure;
    }
    if (controllers.get(key) === controller) controllers.delete(key);
    flush();
    const refused = waiting === undefined || hasFrames ? undefined : refusedRun(waiting, thrown);
    change(key, (state) => refused ?? interruptedRun(state, thrown, controller.signal.aborted, nowMs()));
    tell();
    const run = find(key);
    if (run !== undefined) settled?.(run);
  }

  function resumeRun(
    key: string,
    part: Extract<Mark, { kind: "decision" | "answer" }>,
    open: (signal: AbortSignal) => Frames,
  ): void {
    const waiting = find(key)?.state;
    change(key, (state) => resumedRun(state, part));
    tell();
    void follow(key, open, waiting);
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: () => rounds,
    ask(query, lanes) {
      const runs = lanes.map(({ lane, agent, request }) => ({
        key: `run-${++asked}`,
        lane,
        agent,
        request,
        state: startedRun(nowMs()),
      }));
      rounds = [...rounds, { key: `round-${asked}`, query, runs }];
      tell();
      for (const { key, agent, request } of runs) void follow(key, (signal) => ask(agent, request, signal));
    },
    adopt(key, awaited) {
      if (find(key) !== undefined) return;
      const state = withFrames(startedRun(nowMs()), [{ frame: awaited, atMs: nowMs() }]);
      const run = { key, lane: 0, agent: awaited.agent, request: { query: "" }, state };
      rounds = [...rounds, { key, query: "", runs: [run] }];
      tell();
    },
    decide(key, verdict, request) {
      const awaited = find(key)?.state.awaited;
      if (awaited?.type !== "approval_required") return;
      const { tool, approval_id: id } = awaited;
      const { comment } = request;
      const note = comment === undefined ? {} : { comment };
      resumeRun(key, { kind: "decision", tool, verdict, ...note }, (signal) =>
        decide(id, verdict, request, signal),
      );
    },
    sendResult(key, result) {
      const awaited = find(key)?.state.awaited;
      if (awaited?.type !== "tool_result_required") return;
      const { tool, call_id: id } = awaited;
      resumeRun(key, { kind: "answer", tool, failed: result.error !== undefined }, (signal) =>
        sendResult(id, result, signal),
      );
    },
    stop(key) {
      for (const [running, controller] of controllers)
        if (key === undefined || running === key) controller.abort();
    },
    clear() {
      for (const controller of controllers.values()) controller.abort();
      waiting.clear();
      rounds = [];
      tell();
    },
  };
}
