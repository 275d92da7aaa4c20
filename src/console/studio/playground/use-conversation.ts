import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { streamRun } from "../../api/run-stream.ts";
import { useDaemon } from "../use-daemon.ts";
import { type Conversation, createConversation, type Round } from "./conversation.ts";
import { runFrames } from "./run-frames.ts";

/** A conversation with the daemon's agents, which ends when the page is left. */
export function useConversation(): { conversation: Conversation; rounds: readonly Round[] } {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [conversation] = useState(() =>
    createConversation({
      ask: (agent, request, signal) => runFrames(daemon, streamRun, agent, request, signal),
      decide: (id, verdict, comment, signal) =>
        daemon.streamDecision(id, verdict, comment === "" ? {} : { comment }, signal),
      handIn: (id, result, signal) => daemon.streamToolResult(id, result, signal),
      schedule: (flush) => void requestAnimationFrame(flush),
      nowMs: () => performance.now(),
      settled() {
        void queries.invalidateQueries({ queryKey: ["daemon", "traces", "list"] });
        void queries.invalidateQueries({ queryKey: ["daemon", "approvals"] });
      },
    }),
  );
  useEffect(() => () => conversation.stop(), [conversation]);
  return {
    conversation,
    rounds: useSyncExternalStore(conversation.subscribe, conversation.read, conversation.read),
  };
}
