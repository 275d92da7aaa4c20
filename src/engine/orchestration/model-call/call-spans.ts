import { playedAttribute, skippedCall } from "../../../contracts/daemon/runs/traced-calls.ts";
import type { Logger } from "../../../kit/log.ts";
import type { CallFailure } from "../../models/judge-call.ts";
import type { CandidateName, CandidateWatch } from "../../models/model-router.ts";
import type { RunTrace, SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { CountedCall } from "./call-meter.ts";

/** The run that makes the call. */
interface Caller {
  trace: RunTrace;
  log: Logger;
  agent: string;
}

/**
 * Spans of one model call: an `llm.complete` for each candidate that the router calls or skips. If a candidate gave no answer, its span has
 * status ERROR, `error` (a code) and `reason` (a sentence). Failovers to another candidate are logged.
 */
export class CallSpans implements CandidateWatch {
  readonly #caller: Caller;
  readonly #parent: SpanHandle;
  /** Attributes of every span of the call. */
  #shared: Record<string, unknown> | undefined;
  #span: SpanHandle;
  /** True once the candidate of the open span has failed: what it used may come afterwards. */
  #isFailed = false;
  #candidate: CandidateName | undefined;
  #isPlayed = false;
  /** Candidates that gave no answer since the last logged failover. */
  #passed: { name: string; reason: string }[] | undefined;

  constructor(caller: Caller, parent: SpanHandle) {
    this.#caller = caller;
    this.#parent = parent;
    this.#span = caller.trace.start("llm.complete", {}, parent);
  }

  /** Sets an attribute on this span and all later ones. */
  note(name: string, value: unknown): void {
    this.#shared ??= {};
    this.#shared[name] = value;
    this.#span.set(name, value);
  }

  /** The call was made before the run paused, and its answer is repeated: its spans say so and count nothing. */
  played(): void {
    this.#isPlayed = true;
    this.note(playedAttribute, true);
  }

  set(name: string, value: unknown): void {
    this.#span.set(name, value);
  }

  called(candidate: CandidateName): void {
    this.#turnTo(candidate);
    const passed = this.#passed;
    const first = passed?.[0];
    if (passed === undefined || first === undefined) return;
    const { log, agent, trace } = this.#caller;
    log.warn("provider.failover", {
      agent,
      from: first.name,
      to: nameOf(candidate),
      reason: passed.map(({ reason }) => reason).join(" "),
      trace_id: trace.traceId,
    });
    this.#passed = undefined;
  }

  #pass(candidate: CandidateName, reason: string): void {
    this.#passed ??= [];
    this.#passed.push({ name: nameOf(candidate), reason });
  }

  failed(failure: CallFailure, reason: string, said?: string): void {
    if (this.#candidate) this.#pass(this.#candidate, reason);
    this.#note(failure, reason);
    if (said === undefined) return;
    this.#span.set("provider_message", said);
    const { log, agent, trace } = this.#caller;
    const model = this.#candidate && nameOf(this.#candidate);
    log.info("provider.refused", { agent, model, failure, provider_message: said, trace_id: trace.traceId });
  }

  skipped(candidate: CandidateName, reason: string): void {
    this.#turnTo(candidate);
    this.#pass(candidate, reason);
    this.#note(skippedCall, reason);
  }

  /** Sets what the candidate used, so that the trace adds up to the recorded costs. */
  count(call: CountedCall | undefined): void {
    if (call === undefined || this.#isPlayed) return;
    setUsage((name, value) => this.set(name, value), call);
    if (call.usage.estimated) this.set("estimated", true);
  }

  /** Corrects what `count` has set once the promise resolves to the final usage. Text that came too late is logged. */
  corrected(final: Promise<{ call: CountedCall; lostChars: number } | undefined>): void {
    const { trace, log, agent } = this.#caller;
    const span = this.#span;
    const candidate = this.#candidate;
    const set = async () => {
      const late = await final;
      if (late === undefined) return;
      setUsage((name, value) => span.correct(name, value), late.call);
      span.correct("estimated", late.call.usage.estimated);
      if (late.lostChars === 0) return;
      span.correct("late_characters", late.lostChars);
      const model = candidate && nameOf(candidate);
      log.warn("model.text_too_late", { agent, model, characters: late.lostChars, trace_id: trace.traceId });
    };
    trace.awaits(set());
  }

  end(): void {
    this.#span.end();
  }

  /** Ends the span as failed. Only the first failure and the first end count. */
  fail(error: string, reason: string): void {
    this.#note(error, reason);
    this.#span.end("ERROR");
  }

  #note(error: string, reason: string): void {
    if (this.#isFailed) return;
    this.#isFailed = true;
    this.#span.set("error", error);
    this.#span.set("reason", reason);
  }

  /** The open span belongs to the first candidate; each later one gets its own. */
  #turnTo({ provider, model }: CandidateName): void {
    if (this.#candidate !== undefined) {
      this.#span.end("ERROR");
      this.#isFailed = false;
      this.#span = this.#caller.trace.start("llm.complete", { ...this.#shared }, this.#parent);
    }
    this.#candidate = { provider, model };
    this.#span.set("provider", provider);
    this.#span.set("model", model);
  }
}

function setUsage(set: (name: string, value: unknown) => void, { usage, costMicros }: CountedCall): void {
  set("input_tokens", usage.inputTokens);
  set("output_tokens", usage.outputTokens);
  if (usage.cachedTokens > 0) set("cached_tokens", usage.cachedTokens);
  if (usage.reasoningTokens !== undefined) set("reasoning_tokens", usage.reasoningTokens);
  if (costMicros !== null) set("cost_usd", costMicros / 1_000_000);
}

function nameOf({ provider, model }: CandidateName): string {
  return `${provider}/${model}`;
}
