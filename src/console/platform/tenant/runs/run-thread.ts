import type { ApprovalDecision } from "../../../../contracts/daemon/runs/approvals.ts";
import type { PlatformFrame } from "../../../../contracts/platform/clients/run-client.ts";
import type { PlatformRunRequest } from "../../../../contracts/platform/runs/runs.ts";
import type { ApprovalChoice } from "../../../runs/run-state.ts";
import { callTexts } from "../../../texts/shell.ts";
import {
  interruptedPlatformRun,
  type PlatformRun,
  refusedPlatformRun,
  resumedPlatformRun,
  startedPlatformRun,
  type TimedPlatformFrame,
  withPlatformFrames,
} from "./platform-run.ts";

/** A question and its run. */
export interface ThreadTurn {
  key: string;
  query: string;
  run: PlatformRun;
}

type Frames = AsyncIterable<PlatformFrame>;

export interface ThreadParts {
  ask: (request: PlatformRunRequest, signal: AbortSignal) => Frames;
  decide: (
    approvalId: string,
    verdict: ApprovalChoice,
    request: ApprovalDecision,
    signal: AbortSignal,
  ) => Frames;
  /** Runs `flush` at the next repaint, so that all frames until then are rendered at once. */
  schedule: (flush: () => void) => void;
  nowMs: () => number;
  /** Called for each run that ends or waits. */
  settled: (run: PlatformRun) => void;
}

/** Questions and answers of one page, one run at a time. */
export interface RunThread {
  /** Adds a listener, for `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  read(): readonly ThreadTurn[];
  ask(request: PlatformRunRequest): void;
  decide(key: string, tool: string, verdict: ApprovalChoice, request: ApprovalDecision): void;
  /** Stops the current run; the platform does not charge for it. */
  stop(): void;
  clear(): void;
}

/** Keeps the turns, and applies frames at most once per repaint. */
export function createThread({ ask, decide, schedule, nowMs, settled }: ThreadParts): RunThread {
  const listeners = new Set<() => void>();
  let turns: readonly ThreadTurn[] = [];
  let asked = 0;
  let running: AbortController | undefined;

  const tell = () => {
    for (const listener of listeners) listener();
  };
  const find = (key: string) => turns.find((turn) => turn.key === key)?.run;
  function change(key: string, next: (run: PlatformRun) => PlatformRun): void {
    turns = turns.map((turn) => (turn.key === key ? { ...turn, run: next(turn.run) } : turn));
    tell();
  }

  /** `before`: the run before the decision that `open` sends. */
  async function follow(
    key: string,
    open: (signal: AbortSignal) => Frames,
    before?: PlatformRun,
  ): Promise<void> {
    const controller = new AbortController();
    running = controller;
    let waiting: TimedPlatformFrame[] = [];
    let hasFrames = false;
    const flush = () => {
      if (waiting.length === 0) return;
      const frames = waiting;
      waiting = [];
      change(key, (run) => withPlatformFrames(run, frames));
    };
    let thrown: unknown = new Error(callTexts.cutOff);
    try {
      for await (const frame of open(controller.signal)) {
        if (controller.signal.aborted) break;
        hasFrames = true;
        waiting.push({ frame, atMs: nowMs() });
        if (waiting.length === 1) schedule(flush);
      }
    } catch (failure) {
      thrown = failure;
    }
    if (running === controller) running = undefined;
    flush();
    const refused = before === undefined || hasFrames ? undefined : refusedPlatformRun(before, thrown);
    change(key, (run) => refused ?? interruptedPlatformRun(run, thrown, controller.signal.aborted, nowMs()));
    const run = find(key);
    if (run !== undefined) settled(run);
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: () => turns,
    ask(request) {
      const key = `turn-${++asked}`;
      turns = [...turns, { key, query: request.query, run: startedPlatformRun(nowMs()) }];
      tell();
      void follow(key, (signal) => ask(request, signal));
    },
    decide(key, tool, verdict, request) {
      const before = find(key);
      const id = before?.awaiting?.approval_id;
      if (id === undefined) return;
      change(key, (run) => resumedPlatformRun(run, tool, verdict, request.comment));
      void follow(key, (signal) => decide(id, verdict, request, signal), before);
    },
    stop: () => running?.abort(),
    clear() {
      running?.abort();
      turns = [];
      tell();
    },
  };
}
