import type { PlatformClient } from "../../../../contracts/platform/clients/client.ts";
import type { PlatformFrame } from "../../../../contracts/platform/clients/run-client.ts";
import type { PlatformRunRequest } from "../../../../contracts/platform/runs/runs.ts";
import { HandshakeRefused, type Stream } from "../../../api/run-stream.ts";

type OpenStream = (stream: Stream) => AsyncIterable<PlatformFrame>;

/**
 * Opens a run and yields its frames over the WebSocket that a ticket opens. Uses HTTP if the run has a context, which the socket does not
 * support. Also uses HTTP if the socket was refused: a browser hides the reason, but a refused request has it.
 */
export async function* openRun(
  platform: Pick<PlatformClient, "streamTicket" | "streamRun">,
  openStream: OpenStream,
  agent: string,
  request: PlatformRunRequest,
  signal: AbortSignal,
): AsyncGenerator<PlatformFrame, void> {
  if (request.context === undefined) {
    try {
      yield* overSocket(platform, openStream, agent, request, signal);
      return;
    } catch (thrown) {
      if (!(thrown instanceof HandshakeRefused)) throw thrown;
    }
  }
  yield* platform.streamRun(agent, request, { signal });
}

async function* overSocket(
  platform: Pick<PlatformClient, "streamTicket">,
  openStream: OpenStream,
  agent: string,
  { query, session_id, trace_content, remember, source }: PlatformRunRequest,
  signal: AbortSignal,
): AsyncGenerator<PlatformFrame, void> {
  const kept = {
    ...(trace_content === undefined ? {} : { trace_content }),
    ...(remember === undefined ? {} : { remember }),
    ...(source === undefined ? {} : { source }),
  };
  const { ticket } = await platform.streamTicket(agent, { query, ...kept });
  const parameters = new URLSearchParams({ ticket, ...(session_id === undefined ? {} : { session_id }) });
  yield* openStream({
    service: "platform",
    path: `/api/v1/agents/${encodeURIComponent(agent)}/run/stream?${parameters}`,
    request: {},
    signal,
  });
}
