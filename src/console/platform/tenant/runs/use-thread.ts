import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { PlatformFrame } from "../../../../contracts/platform/clients/run-client.ts";
import { streamRun } from "../../../api/run-stream.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { openRun } from "./open-run.ts";
import { createThread } from "./run-thread.ts";

interface ThreadWishes {
  tenantId: string;
  agent: string;
  /** Called with the session that a run started or continued. */
  sessionKnown: (sessionId: string) => void;
}

/** Runs of one page; leaving the page stops the current run. */
export function useThread({ tenantId, agent, sessionKnown }: ThreadWishes) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const known = useRef(sessionKnown);
  known.current = sessionKnown;
  const [thread] = useState(() =>
    createThread({
      ask: (request, signal) => openRun(platform, streamRun<PlatformFrame>, agent, request, signal),
      decide: (id, verdict, comment, signal) =>
        platform.streamDecision(id, verdict, comment === "" ? {} : { comment }, signal),
      schedule: (flush) => void requestAnimationFrame(flush),
      nowMs: () => performance.now(),
      settled({ sessionId }) {
        if (sessionId !== undefined) known.current(sessionId);
        void queries.invalidateQueries({ queryKey: ["platform", tenantId] });
      },
    }),
  );
  useEffect(() => thread.stop, [thread]);
  const turns = useSyncExternalStore(thread.subscribe, thread.read, thread.read);
  return { thread, turns };
}
