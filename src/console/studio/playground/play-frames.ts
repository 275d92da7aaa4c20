import type { DaemonClient } from "../../../contracts/daemon/client.ts";
import type { RunRequest, StreamFrame } from "../../../contracts/daemon/runs/run.ts";
import type { Stream } from "../../api/run-stream.ts";
import type { PlayFrame } from "../../runs/run-state.ts";

type OpenStream = (stream: Stream) => AsyncIterable<StreamFrame>;

/** Yields the frames of a new run over its WebSocket. If the run cannot be recorded, it is started again without a recording. */
export async function* playFrames(
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
    yield* playFrames(daemon, openStream, agent, plain, signal);
    return;
  }
}
