import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { streamRun } from "../../api/run-stream.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { type Conversation, createConversation, type PlayedRun, type Round } from "./conversation.ts";
import { playFrames } from "./play-frames.ts";

/** A conversation with the daemon's agents that ends with the page; `settled` is told of each run that is over or waits. */
export function useConversation(settled?: (run: PlayedRun) => void): {
  conversation: Conversation;
  rounds: readonly Round[];
} {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [conversation] = useState(() =>
    createConversation({
      ask: (agent, request, signal) => playFrames(daemon, streamRun, agent, request, signal),
      decide: (id, verdict, comment, signal) =>
        daemon.streamDecision(id, verdict, comment === "" ? {} : { comment }, signal),
      handIn: (id, result, signal) => daemon.streamToolResult(id, result, signal),
      schedule: (flush) => void requestAnimationFrame(flush),
      nowMs: () => performance.now(),
      settled(run) {
        void queries.invalidateQueries({ queryKey: ["daemon", "traces", "list"] });
        void queries.invalidateQueries({ queryKey: ["daemon", "approvals"] });
        settled?.(run);
      },
    }),
  );
  useEffect(() => () => conversation.stop(), [conversation]);
  return { conversation, rounds: useSyncExternalStore(conversation.subscribe, conversation.read) };
}
