import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { DaemonClient } from "../../../contracts/daemon/client.ts";
import type { RunRequest, StreamFrame } from "../../../contracts/daemon/runs/run.ts";
import { type Stream, streamRun } from "../../api/run-stream.ts";
import type { PlayFrame } from "../../runs/run-state.ts";
import { useDaemon } from "../use-daemon.ts";
import { createConversation, type PlaygroundConversation, type Round } from "./conversation.ts";

/** A conversation with the daemon's agents, which ends when the page is left. */
export function useConversation(): { conversation: PlaygroundConversation; rounds: readonly Round[] } {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [conversation] = useState(() =>
    createConversation({
      ask: (agent, request, signal) => runFrames(daemon, streamRun, agent, request, signal),
      decide: (id, verdict, request, signal) => daemon.streamDecision(id, verdict, request, signal),
      sendResult: (id, result, signal) => daemon.streamToolResult(id, result, signal),
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

type OpenStream = (stream: Stream) => AsyncIterable<StreamFrame>;

/** Yields the frames of a new run over its WebSocket. If the run cannot be recorded, it is started again without a recording. */
export async function* runFrames(
  daemon: Pick<DaemonClient, "streamTicket">,
  openStream: OpenStream,
  agent: string,
  request: RunRequest,
  signal: AbortSignal,
): AsyncGenerator<PlayFrame, void> {
  const { ticket } = await daemon.streamTicket(agent);
  const path = `/v1/ws/agent/${encodeURIComponent(agent)}?ticket=${encodeURIComponent(ticket)}`;
  for await (const frame of openStream({ service: "daemon", path, request, signal })) {
    if (frame.type !== "error" || frame.error !== "run_not_recordable") {
      yield frame;
      continue;
    }
    yield { type: "unrecorded", message: frame.message };
    const { record: _, ...plain } = request;
    yield* runFrames(daemon, openStream, agent, plain, signal);
    return;
  }
}
