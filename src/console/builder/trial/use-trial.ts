import { useEffect, useRef, useState } from "react";
import type { RunTurn } from "../../../contracts/daemon/runs/turns.ts";
import { turnsMax } from "../../../contracts/daemon/runs/turns.ts";
import type { Trial, TrialQuestion } from "../host.ts";

/** A question and its answer so far. */
export interface TrialTurn {
  key: number;
  query: string;
  askedAt: string;
  /** The manifest that was asked. */
  text: string;
  answer: string;
  tools: readonly { key: number; name: string }[];
  isRunning: boolean;
  figures?: string;
  run?: string;
  failure?: unknown;
  isStopped?: true;
}

/** A conversation with an agent that is being written. It ends with the page. */
export function useTrial(trial: Trial | undefined) {
  const [turns, setTurns] = useState<readonly TrialTurn[]>([]);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const updateLast = (change: (turn: TrialTurn) => Partial<TrialTurn>) =>
    setTurns((now) => now.map((turn, at) => (at === now.length - 1 ? { ...turn, ...change(turn) } : turn)));
  return {
    turns,
    isRunning: turns.at(-1)?.isRunning === true,
    async ask({ query, text, value }: Pick<TrialQuestion, "query" | "text" | "value">) {
      if (trial === undefined) return;
      const abort = new AbortController();
      running.current = abort;
      const askedAt = new Date().toISOString();
      const before = { query, text, value, turns: turnsBefore(turns) };
      setTurns((now) => [
        ...now,
        { key: now.length, query, text, askedAt, answer: "", tools: [], isRunning: true },
      ]);
      try {
        for await (const frame of trial.ask(before, abort.signal)) {
          if (frame.type === "token") updateLast(({ answer }) => ({ answer: answer + frame.content }));
          else if (frame.type === "tool")
            updateLast(({ tools }) => ({ tools: [...tools, { key: tools.length, name: frame.name }] }));
          else {
            const { type: _, ...end } = frame;
            updateLast(() => end);
          }
        }
        updateLast(() => ({ isRunning: false }));
      } catch (failure) {
        updateLast(() => ({
          isRunning: false,
          ...(abort.signal.aborted ? { isStopped: true } : { failure }),
        }));
      }
    },
    stop: () => running.current?.abort(),
    clear: () => setTurns([]),
  };
}

/** The answered turns as a run is told them, the latest that fit. */
export function turnsBefore(turns: readonly TrialTurn[]): RunTurn[] {
  const told = turns
    .filter(({ answer, failure }) => answer !== "" && failure === undefined)
    .flatMap(({ query, answer, askedAt: at }): RunTurn[] => [
      { role: "user", content: query, at },
      { role: "assistant", content: answer, at },
    ]);
  return told.slice(-turnsMax + (turnsMax % 2));
}
