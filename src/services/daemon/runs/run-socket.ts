import { Value } from "@sinclair/typebox/value";
import { RunRequest, type StreamFrame } from "../../../contracts/daemon/runs/run.ts";
import type { Call, SocketHandler } from "../../../http/call.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { createWebSocketSession } from "../../../http/streams/web-socket-session.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { DaemonDeps } from "../deps.ts";
import { admitRun } from "./admit-run.ts";
import { agentFor } from "./agent-for.ts";
import { runInput } from "./run-input.ts";
import { errorFrame, frameOf } from "./stream-frames.ts";

/** Creates a WebSocket on which one agent answers. Each frame from the client is a query; queries are answered in order. */
export function runSocket(
  deps: DaemonDeps,
  name: string,
  { call, sender }: { call: Call; sender: Sender },
): SocketHandler {
  return createWebSocketSession({
    call,
    errorFrame,
    async *answer(frame, signal): AsyncGenerator<StreamFrame> {
      const body = requireRunRequest(frame);
      // Looked up for each query, so a changed file takes effect at the next one.
      const agent = agentFor(deps, name, body.override, sender);
      const request = runInput(deps, body, { stream: true, signal, requestId: call.requestId });
      for await (const event of admitRun(deps, agent, request, body.record)) yield frameOf(event);
    },
  });
}

function requireRunRequest(frame: unknown): RunRequest {
  if (Value.Check(RunRequest, frame)) return frame;
  throw invalidPart("The frame", Value.Errors(RunRequest, frame), RunRequest);
}
