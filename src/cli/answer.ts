import type { DaemonClient } from "../contracts/daemon/client.ts";
import type { RunMetadata, RunRequest, StreamFrame } from "../contracts/daemon/run.ts";
import { AppError } from "../kit/app-error.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";
import { cut, oneLine } from "./table.ts";

/** One question to one agent. */
export interface Question {
  agent: string;
  request: RunRequest;
  signal: AbortSignal;
}

export type DoneFrame = Extract<StreamFrame, { type: "done" }>;

/** Prints the answer as it comes, and on stderr what the agent does meanwhile; throws when the run fails. */
export async function streamAnswer(
  screen: Screen,
  client: DaemonClient,
  question: Question,
): Promise<DoneFrame> {
  for await (const frame of client.stream(question.agent, question.request, question.signal)) {
    switch (frame.type) {
      case "token":
        screen.write(frame.content);
        break;
      case "done":
        screen.endLine();
        sayProvenance(screen, frame);
        return frame;
      case "error":
        screen.endLine();
        throw runFailure(frame);
      default:
        if (screen.hasReader) screen.say(paint("dim", cut(describe(frame), screen.talkWidth)));
    }
  }
  throw brokenStream();
}

export type LastFrame = Extract<StreamFrame, { type: "done" | "error" }>;

/** Prints each frame as a line of JSON, a failure's like the others; gives the last. */
export async function recordFrames(
  screen: Screen,
  client: DaemonClient,
  question: Question,
): Promise<LastFrame> {
  for await (const frame of client.stream(question.agent, question.request, question.signal)) {
    screen.record(frame);
    if (frame.type === "done" || frame.type === "error") return frame;
  }
  throw brokenStream();
}

/** Prints an answer that came whole. */
export async function printAnswer(screen: Screen, client: DaemonClient, question: Question) {
  const result = await client.run(question.agent, question.request, question.signal);
  screen.write(result.response);
  screen.endLine();
  sayProvenance(screen, result);
  return result;
}

/** Where the answer comes from. That it is simulated is always said; the rest is for a person reading along. */
function sayProvenance(screen: Screen, done: { session_id: string; metadata: RunMetadata }): void {
  const { provider, model, tokens_used: tokens, latency_ms: latencyMs, simulated } = done.metadata;
  if (simulated) {
    screen.say(paint("yellow", "simulated:"), " the rehearsal stand-in answered, no model was asked");
  }
  if (!screen.hasReader) return;
  const facts = [
    `${provider}/${model}`,
    `${tokens} tokens`,
    `${Math.round(latencyMs)} ms`,
    `session ${done.session_id}`,
  ];
  screen.say(paint("dim", facts.join(" · ")));
}

function describe(frame: Exclude<StreamFrame, { type: "token" | "done" | "error" }>): string {
  switch (frame.type) {
    case "tool_call":
      return oneLine(`→ ${frame.tool} ${JSON.stringify(frame.input)}`);
    case "tool_result":
      return oneLine(`← ${frame.tool}${frame.ok ? "" : " failed"} ${JSON.stringify(frame.output)}`);
    case "step":
      return oneLine(`· ${frame.name}: ${frame.content}`);
    case "guardrail":
      return oneLine(`! guardrail ${frame.guardrail} (${frame.stage}): ${frame.outcome}`);
  }
}

function runFailure(frame: { error: string; message: string }): AppError {
  return new AppError("unprocessable", frame.error, frame.message);
}

function brokenStream(): AppError {
  return new AppError("upstream_failed", "stream_broken", "The answer broke off before its end.");
}
