import { useEffect, useState } from "react";
import type { LogLine, LogLineLevel } from "../../../contracts/daemon/operations.ts";
import { useDaemon } from "../../studio/use-daemon.ts";

/** Most lines on the page. */
const shownMax = 500;
const againMs = 2_000;

interface LogView {
  level: LogLineLevel;
  text: string;
  isPaused: boolean;
}

/** Follows the log while the page is visible and not paused. After a break it reads the newest lines again. */
export function useLogLines({ level, text, isPaused }: LogView) {
  const daemon = useDaemon();
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [failure, setFailure] = useState<unknown>();
  const [isVisible, setVisible] = useState(true);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === "visible");
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens the stream again
  useEffect(() => {
    if (isPaused || !isVisible) return;
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async () => {
      let isFirst = true;
      try {
        const query = { level, limit: shownMax, ...(text !== "" && { text }) };
        for await (const page of daemon.followLog(query, over.signal)) {
          const restarts = isFirst;
          isFirst = false;
          setFailure(undefined);
          setLines((before) => [...(restarts ? [] : before), ...page.lines].slice(-shownMax));
        }
      } catch (thrown) {
        if (!over.signal.aborted) setFailure(thrown);
      }
      if (!over.signal.aborted) timer = setTimeout(() => setAttempt((count) => count + 1), againMs);
    };
    void follow();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [daemon, level, text, isPaused, isVisible, attempt]);
  return { lines, failure };
}
