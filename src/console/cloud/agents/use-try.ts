import { useEffect, useRef, useState } from "react";
import type { CloudRunResult } from "../../../contracts/cloud/runs.ts";
import { randomHex } from "../../parts/text/random-hex.ts";
import { useCloud } from "../use-cloud.ts";

/** A question and its answer so far. */
export interface TryTurn {
  id: number;
  query: string;
  answer: string;
  tools: readonly { id: number; name: string }[];
  result?: Pick<CloudRunResult, "tokens_used" | "model" | "latency_ms">;
  failure?: unknown;
  isStopped?: true;
}

const newSession = (): string => `console-${randomHex(12)}`;

/** A conversation with a deployed agent, in one session. Leaving the page cancels its run. */
export function useTry(slug: string, name: string) {
  const cloud = useCloud();
  const [turns, setTurns] = useState<readonly TryTurn[]>([]);
  const [isRunning, setRunning] = useState(false);
  /** A test has a session of its own: no run continues it. */
  const sessions = useRef<{ test?: string; stream?: string }>({});
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const updateLast = (update: (turn: TryTurn) => TryTurn) =>
    setTurns((now) => now.map((turn, at) => (at === now.length - 1 ? update(turn) : turn)));

  async function stream(query: string, signal: AbortSignal): Promise<void> {
    const request = {
      query,
      ...(sessions.current.stream !== undefined && { session_id: sessions.current.stream }),
    };
    for await (const frame of cloud.streamRun(slug, name, request, signal)) {
      switch (frame.type) {
        case "token":
          updateLast((turn) => ({ ...turn, answer: turn.answer + frame.content }));
          break;
        case "tool_call":
          updateLast((turn) => ({
            ...turn,
            tools: [...turn.tools, { id: turn.tools.length, name: frame.tool }],
          }));
          break;
        case "done":
          sessions.current.stream = frame.session_id;
          updateLast((turn) => ({ ...turn, answer: frame.answer, result: frame }));
          break;
        case "error":
          throw new Error(frame.message);
      }
    }
  }

  async function test(query: string, signal: AbortSignal): Promise<void> {
    // Without a session, a test gets one that is thrown away.
    sessions.current.test ??= newSession();
    const request = { query, session_id: sessions.current.test };
    const { result } = await cloud.test(slug, name, request, signal);
    updateLast((turn) => ({ ...turn, answer: result.answer, result }));
  }

  return {
    turns,
    isRunning,
    async ask(query: string, mode: "test" | "stream") {
      const abort = new AbortController();
      running.current = abort;
      setRunning(true);
      setTurns((now) => [...now, { id: now.length, query, answer: "", tools: [] }]);
      try {
        await (mode === "test" ? test : stream)(query, abort.signal);
      } catch (thrown) {
        updateLast((turn) =>
          abort.signal.aborted ? { ...turn, isStopped: true } : { ...turn, failure: thrown },
        );
      } finally {
        setRunning(false);
      }
    },
    stop: () => running.current?.abort(),
    clear() {
      sessions.current = {};
      setTurns([]);
    },
  };
}
