import { entryAttribute } from "../../../contracts/daemon/cassettes/recorded-call.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Echo, FinishReason, Message, ModelRequest, ToolCall } from "../../models/model.ts";
import type { ModelRouter, RoutedEvent } from "../../models/model-router.ts";
import type { RequestedBy } from "../../run-state/interceptor.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { ModelCaller, SpokenThread } from "../pattern.ts";
import { CallMeter } from "./call-meter.ts";
import { CallSpans } from "./call-spans.ts";
import { fitWindow } from "./fit-window.ts";
import { patientCall } from "./patient-call.ts";

/** Answer of a model in one call. */
export interface ModelTurn {
  text: string;
  calls: ToolCall[];
  finish: FinishReason;
  /** Data that the provider needs back with this turn. */
  echo?: Echo;
}

export interface TurnOptions {
  /** Role whose models are called; absent: the agent's own. */
  role?: string;
  toolChoice: ModelRequest["toolChoice"];
  /** True if the text is part of the answer and streamed; otherwise it is only returned. */
  speak: boolean;
  /** Set for a call by a tool. It is counted and paid like others, but is not an iteration of the run. */
  aside?: { answerTokensMax: number };
}

/**
 * Calls the model once with a thread's conversation, traced as one `llm.complete` per candidate. If `speak` is set, yields the text as it
 * arrives. Appends the answer to the conversation.
 */
export async function* modelTurn(
  run: ModelCaller,
  thread: SpokenThread,
  options: TurnOptions,
): AsyncGenerator<RunEvent, ModelTurn> {
  const { state, trace } = run;
  const spans = new CallSpans({ trace, log: run.log, agent: thread.agent }, thread.span);
  const turn: ModelTurn = { text: "", calls: [], finish: "stop" };
  if (options.aside === undefined) state.iterations++;
  let meter: CallMeter | undefined;
  let provider = "";
  try {
    const router = thread.routerFor(options.role);
    const { request, shortened, leftOutChars } = fitWindow(
      requestOf(run, thread, options),
      router.knownWindow,
    );
    if (shortened > 0) {
      spans.note("shortened_results", shortened);
      spans.note("shortened_characters", leftOutChars);
    }
    const played = run.interceptor?.kept?.(askedBy(thread, options), request);
    if (played !== undefined) spans.played();
    meter = new CallMeter(run, thread, router, request, played !== undefined, options.role);
    if (meter.kept !== undefined) await meter.kept;
    if (run.record) spans.note("input", await run.record(meter.request.messages));
    if (options.role !== undefined) spans.note("role", options.role);
    const events = played ?? callModel(run, thread, router, meter.request, options, spans);
    for await (const event of events) {
      switch (event.type) {
        case "text":
        case "texts": {
          const text = event.type === "text" ? event.text : event.texts.join("");
          if (text === "") break;
          run.held.take(text.length);
          // Text before a tool call is part of the answer; a blank line separates it from the next text.
          if (
            options.speak &&
            turn.text === "" &&
            state.answer !== "" &&
            !endsInSpace.test(state.answer.slice(-1))
          ) {
            state.answer += "\n\n";
            yield { type: "token", content: "\n\n" };
          }
          turn.text += text;
          if (!options.speak) break;
          state.answer += text;
          yield event.type === "text"
            ? { type: "token", content: text }
            : { type: "tokens", contents: event.texts };
          break;
        }
        case "tool_call":
          run.held.take(charsOfCall(event.call));
          turn.calls.push(event.call);
          break;
        case "chosen":
          meter.chosen(event);
          provider = event.provider;
          if (options.aside === undefined) {
            state.provider = event.provider;
            state.model = event.model;
          }
          state.simulated ||= event.simulated;
          spans.set("provider", event.provider);
          spans.set("model", event.model);
          if (event.attempt > 1) spans.set("attempt", event.attempt);
          break;
        case "spent":
          spans.count(meter.failed(event));
          if (event.mayFailOver) meter.holdNext();
          if (meter.kept !== undefined) await meter.kept;
          break;
        case "end":
          turn.finish = event.finish;
          if (options.aside === undefined) state.finish = event.finish;
          if (event.echo) {
            run.held.take(JSON.stringify(event.echo.content).length);
            turn.echo = event.echo;
          }
          meter.ended(event.usage, event.later);
          if (event.thoughts !== undefined && run.record)
            spans.set("thoughts", await run.record(event.thoughts));
          spans.set("finish", event.finish);
          if (event.isCut) spans.set("answer_cut", true);
          break;
      }
    }
    if (turn.finish === "content_filter" && turn.text === "") {
      throw new AppError("unprocessable", "content_refused", `${provider} refused to answer this content.`);
    }
    if (run.record) spans.set("output", await run.record(turn.text));
    spans.count(meter.settle(turn.text));
    if (meter.corrected !== undefined) spans.corrected(meter.corrected);
    spans.end();
  } catch (thrown) {
    spans.count(meter?.settle(turn.text));
    // A signal may abort with any value; only AppErrors give a reason.
    if (!run.signal.aborted || thrown instanceof AppError) {
      const { code, message } = toAppError(thrown);
      spans.fail(code, message);
    }
    throw thrown;
  } finally {
    // Without an `end` event the call was cut off. Only the first settlement and the first end count.
    spans.count(meter?.settle(turn.text));
    spans.fail("run_cancelled", "The run was cancelled.");
  }
  thread.messages.push(assistantMessage(turn));
  return turn;
}

const endsInSpace = /\s$/;

const charsOfCall = ({ unparsable, input }: ToolCall) => (unparsable ?? JSON.stringify(input)).length;

function requestOf(
  run: ModelCaller,
  thread: SpokenThread,
  { toolChoice, speak, aside }: TurnOptions,
): ModelRequest {
  const request: ModelRequest = {
    messages: [...thread.preamble, ...thread.messages],
    tools: thread.toolSpecs,
    toolChoice,
    stream: aside === undefined && run.stream && speak,
  };
  if (request.stream && run.bundles) request.bundles = true;
  if (aside !== undefined) {
    // The caller's wishes for the answer don't apply to a tool's calls.
    request.answerTokensMax = aside.answerTokensMax;
    return request;
  }
  if (run.parameters !== undefined) request.parameters = run.parameters;
  if (run.answerSchema !== undefined && speak) request.answerSchema = run.answerSchema;
  return request;
}

/** A run that has called tools waits for a throttled provider; a recording has the answer after the wait. */
function callModel(
  run: ModelCaller,
  thread: SpokenThread,
  router: ModelRouter,
  request: ModelRequest,
  options: TurnOptions,
  spans: CallSpans,
): AsyncIterable<RoutedEvent> {
  const { interceptor, signal } = run;
  const hasWorked = thread.messages.some(({ role }) => role === "tool");
  if (interceptor === undefined && !hasWorked) return router.call(request, signal, spans);
  const direct = () => router.call(request, signal, spans);
  const live = hasWorked ? () => patientCall(direct, run, spans) : direct;
  if (interceptor === undefined) return live();
  const noted = (seq: number) => spans.note(entryAttribute, seq);
  return interceptor.model(askedBy(thread, options), request, live, signal, noted);
}

function askedBy({ agent }: SpokenThread, { role }: TurnOptions): RequestedBy {
  return role === undefined ? { agent } : { agent, role };
}

function assistantMessage({ text, calls, echo }: ModelTurn): Message {
  const message: Extract<Message, { role: "assistant" }> = { role: "assistant", content: text };
  if (calls.length > 0) message.toolCalls = calls;
  if (echo) message.echo = echo;
  return message;
}
