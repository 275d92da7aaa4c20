import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type { Question } from "../../contracts/daemon/questions/question.ts";
import { approvalAwaited, toolResultAwaited } from "../../contracts/daemon/runs/ended-run.ts";
import type { RunRequest, RunResult, StreamFrame } from "../../contracts/daemon/runs/run.ts";
import { AppError } from "../../kit/app-error.ts";
import { traceLines } from "../observe/trace-tree.ts";
import type { QuestionDecision } from "../paused-runs/ask-question.ts";
import { paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { cut, oneLine } from "../terminal/table.ts";
import type { RunOptions } from "./run-options.ts";

/** One question to one agent. */
export interface CliQuestion {
  agent: string;
  request: RunRequest;
  signal: AbortSignal;
}

export interface AnswerOptions extends Pick<RunOptions, "stream" | "trace"> {
  /** Asks the person at the terminal a tool server's question. Absent if the terminal is not interactive. */
  askQuestion?: ((question: Question) => Promise<QuestionDecision>) | undefined;
  /** With `--json`: writes a complete run result. */
  write: (result: unknown) => void;
}

/** The session of the answer, or undefined if the run failed and the failure was printed as a frame. */
export type Answered = string | undefined;

/** Asks the agent and prints the answer in the requested form. Throws if the run fails. */
export async function answer(
  screen: Screen,
  client: DaemonClient,
  question: CliQuestion,
  options: AnswerOptions,
): Promise<Answered> {
  if (!screen.json) return answerInWords(screen, client, question, options);
  if (options.stream === true) return answerInFrames(screen, client, question, options);
  const result = await client.run(question.agent, question.request, question.signal);
  options.write(options.trace ? { ...result, trace: await client.getTrace(result.trace_id) } : result);
  return result.session_id;
}

async function answerInWords(
  screen: Screen,
  client: DaemonClient,
  question: CliQuestion,
  { stream, trace, askQuestion }: AnswerOptions,
): Promise<string> {
  const done = await (stream === false
    ? printWhole(screen, client, question)
    : printStream(screen, client, question, askQuestion));
  sayProvenance(screen, done);
  if (trace) for (const line of traceLines(await client.getTrace(done.trace_id))) screen.say(...line);
  return done.session_id;
}

async function printWhole(screen: Screen, client: DaemonClient, question: CliQuestion): Promise<Done> {
  const result = await client.run(question.agent, question.request, question.signal);
  screen.write(result.response);
  screen.endLine();
  return result;
}

/** Prints tokens to stdout as they arrive, and the agent's other activity to stderr. */
async function printStream(
  screen: Screen,
  client: DaemonClient,
  { agent, request, signal }: CliQuestion,
  askQuestion: AnswerOptions["askQuestion"],
): Promise<Done> {
  let frames = client.stream(agent, request, signal);
  for (;;) {
    const last = await printFrames(screen, frames);
    if (last.type === "done") return last;
    if (last.type !== "approval_required" || last.question === undefined || askQuestion === undefined)
      throw awaitedByFrame(last) ?? brokenStream();
    const { verdict, request: decision } = await askQuestion(last.question);
    frames = client.streamDecision(last.approval_id, verdict, decision, signal);
  }
}

type LastFrame = Extract<StreamFrame, { type: "done" | "approval_required" | "tool_result_required" }>;

async function printFrames(screen: Screen, frames: AsyncIterable<StreamFrame>): Promise<LastFrame> {
  for await (const frame of frames) {
    switch (frame.type) {
      case "token":
        screen.write(frame.content);
        break;
      case "done":
      case "approval_required":
      case "tool_result_required":
        screen.endLine();
        return frame;
      case "error":
        screen.endLine();
        throw new AppError("unprocessable", frame.error, frame.message);
      default:
        if (screen.hasReader) screen.say(paint("dim", cut(describe(frame), screen.talkWidth)));
    }
  }
  throw brokenStream();
}

/** Prints each frame as a line of JSON, including an error frame. */
async function answerInFrames(
  screen: Screen,
  client: DaemonClient,
  question: CliQuestion,
  { trace }: AnswerOptions,
): Promise<Answered> {
  for await (const frame of client.stream(question.agent, question.request, question.signal)) {
    screen.record(frame);
    if (frame.type === "error" || awaitedByFrame(frame) !== undefined) return undefined;
    if (frame.type !== "done") continue;
    if (trace) screen.record({ type: "trace", trace: await client.getTrace(frame.trace_id) });
    return frame.session_id;
  }
  throw brokenStream();
}

/** Facts about a finished run, in every output form. */
type Done = Pick<RunResult, "session_id" | "trace_id" | "metadata">;

/** Prints the origin of the answer. That it is simulated is always printed; the rest only if a person is reading. */
function sayProvenance(screen: Screen, done: Done): void {
  const { provider, model, tokens_used: tokens, latency_ms: latencyMs, simulated } = done.metadata;
  if (simulated) {
    screen.say(paint("yellow", "simulated:"), " no model was called");
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

function describe(
  frame: Exclude<
    StreamFrame,
    { type: "token" | "done" | "error" | "approval_required" | "tool_result_required" }
  >,
): string {
  switch (frame.type) {
    case "tool_call":
      return oneLine(`→ ${frame.tool} ${JSON.stringify(frame.input)}`);
    case "tool_result":
      return oneLine(`← ${frame.tool}${frame.ok ? "" : " failed"} ${JSON.stringify(frame.output)}`);
    case "step":
      return oneLine(`· ${frame.name}: ${frame.content}`);
    case "handoff":
      return oneLine(`⇒ ${frame.from} hands over to ${frame.to}${frame.reason ? `: ${frame.reason}` : ""}`);
    case "guardrail":
      return oneLine(`! guardrail ${frame.guardrail} (${frame.stage}): ${frame.outcome}`);
  }
}

function brokenStream(): AppError {
  return new AppError("upstream_failed", "stream_broken", "The answer ended early.");
}

/** Returns the error for the last frame of a waiting run; undefined for any other frame. */
function awaitedByFrame(frame: StreamFrame): AppError | undefined {
  if (frame.type === "approval_required") return approvalAwaited(frame);
  return frame.type === "tool_result_required" ? toolResultAwaited(frame) : undefined;
}
