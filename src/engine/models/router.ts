import { AppError, toAppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { dearestPrice, freePrice, type Price } from "../spending/price.ts";
import type { Breaker, Breakers, Mishap } from "./breakers.ts";
import { type CallEnd, type CallFailure, judgeCall, teachesLatency } from "./judge-call.ts";
import type { Model, ModelRequest, Usage } from "./model.ts";
import { ModelFailure } from "./model-failure.ts";
import type { CandidateWatch, ModelRouter, RoutedEvent } from "./model-router.ts";
import { type StrategyName, strategies } from "./strategies/strategies.ts";
import type { Standing } from "./strategies/strategy.ts";
import { estimateRequestTokens } from "./token-count.ts";

/** One call of one candidate, told when it is over: what metrics, traces and costs are made of. */
export interface FinishedCall {
  provider: string;
  model: string;
  ok: boolean;
  /** Why it was no success. */
  failure?: CallFailure;
  latencyMs: number;
  /** Time to the first event; undefined when there was none. */
  firstTokenMs?: number;
  /** Undefined unless the call came to its end. */
  usage?: Usage;
}

export interface RouterOptions {
  /** In declared order: primary, then fallbacks. */
  candidates: readonly Model[];
  strategy: StrategyName;
  breakers: Breakers;
  clock: Clock;
  /** What a model's tokens cost; local models are free without being asked about. */
  priceOf?: (model: Model) => Price | undefined;
  /** Called once per candidate tried, after its end and before another is tried. Must not throw. */
  observe?: (call: FinishedCall) => void;
}

/** What a new latency weighs in the moving average. */
const newLatencyWeight = 0.2;

interface Candidate extends Standing {
  readonly breaker: Breaker;
  readonly rate: Price | undefined;
  latencyMs: number | undefined;
  triedAtCall: number;
  /** The message of its last failure, without the full stop. */
  lastReason: string | undefined;
}

/**
 * A router over `candidates`. It is the only place where a model call is tried again: each candidate at most once a call,
 * the next one only while nothing of an answer has been yielded.
 */
export function createRouter(options: RouterOptions): ModelRouter {
  const { breakers, clock, observe } = options;
  const strategy = strategies[options.strategy];
  const candidates = options.candidates.map((model): Candidate => {
    const rate = model.local ? freePrice : options.priceOf?.(model);
    return {
      model,
      breaker: breakers.of(model),
      rate,
      price: rate && rate.in + rate.out,
      latencyMs: undefined,
      triedAtCall: -1,
      lastReason: undefined,
    };
  });
  let calls = 0;

  async function* call(
    request: ModelRequest,
    signal: AbortSignal,
    watch?: CandidateWatch,
  ): AsyncGenerator<RoutedEvent> {
    const number = calls++;
    const failures: ModelFailure[] = [];
    const resting: Candidate[] = [];
    let windowAbove = 0;
    const ranked = fittingFirst(strategy(candidates, { number, request }), request);
    for (const candidate of ranked) {
      signal.throwIfAborted();
      const { model } = candidate;
      if (model.contextWindow <= windowAbove) continue;
      const report = candidate.breaker.enter();
      if (!report) {
        resting.push(candidate);
        watch?.skipped(model, `${pausedBecause(candidate)}.`);
        continue;
      }
      watch?.called(model);
      candidate.triedAtCall = number;
      const startedMs = clock.monotonicMs();
      let firstTokenMs: number | undefined;
      let usage: Usage | undefined;
      const end: CallEnd = { failure: "cancelled", ...boundsOf(request, model) };
      let mishap: Mishap | undefined;
      try {
        for await (const event of model.call(request, signal)) {
          if (firstTokenMs === undefined) {
            firstTokenMs = clock.monotonicMs() - startedMs;
            yield chosen(candidate, failures.length + 1);
          }
          if (event.type === "end") {
            usage = event.usage;
            end.failure = undefined;
            if (teachesLatency(end, request.stream)) {
              candidate.latencyMs = movingAverage(candidate.latencyMs, firstTokenMs);
            }
          }
          yield event;
        }
        return;
      } catch (thrown) {
        // A call that was sent and given up on has cost its input, whether or not anything came back.
        if (signal.aborted && firstTokenMs === undefined) yield spent(candidate, inputOf(request), false);
        signal.throwIfAborted();
        end.failure = thrown instanceof ModelFailure ? thrown.failure : "internal";
        watch?.failed(end.failure, toAppError(thrown).message);
        if (!(thrown instanceof ModelFailure)) throw thrown;
        end.sign = thrown.sign;
        thrown.account = model.account;
        thrown.ending = judgeCall(end);
        mishap = { code: thrown.failure, message: thrown.message };
        candidate.lastReason = thrown.message.replace(/\.$/, "");
        usage = thrown.usage ?? (thrown.gaveUp && firstTokenMs === undefined ? inputOf(request) : undefined);
        const isFinal = firstTokenMs !== undefined || !thrown.worthAnotherCandidate;
        if (usage) yield spent(candidate, usage, !isFinal && candidate !== ranked.at(-1));
        if (isFinal) throw thrown;
        failures.push(thrown);
        if (thrown.failure === "context_length") windowAbove = Math.max(windowAbove, model.contextWindow);
      } finally {
        report(judgeCall(end), mishap);
        observe?.({
          provider: model.provider,
          model: model.model,
          ok: end.failure === undefined,
          ...(end.failure === undefined ? {} : { failure: end.failure }),
          latencyMs: clock.monotonicMs() - startedMs,
          ...(firstTokenMs === undefined ? {} : { firstTokenMs }),
          ...(usage === undefined ? {} : { usage }),
        });
      }
    }
    throw failures.findLast((failure) => failure.failure !== "unreachable") ?? noProvider(failures, resting);
  }

  return {
    call,
    contextWindow: Math.min(...candidates.map(({ model }) => model.contextWindow)),
    answerTokensMax: longestAnswer(candidates),
    dearestPrice: dearestPrice(candidates.map(({ rate }) => rate)),
  };
}

function longestAnswer(candidates: readonly Candidate[]): number | undefined {
  let longest: number | undefined;
  for (const { model } of candidates) {
    if (model.answerTokensMax === undefined) return undefined;
    longest = Math.max(longest ?? 0, model.answerTokensMax);
  }
  return longest;
}

function chosen({ model: { provider, model, simulated }, rate }: Candidate, attempt: number): RoutedEvent {
  return { type: "chosen", provider, model, simulated, attempt, price: rate };
}

function spent(
  { model: { provider, model }, rate }: Candidate,
  usage: Usage,
  mayFailOver: boolean,
): RoutedEvent {
  return { type: "spent", provider, model, usage, price: rate, mayFailOver };
}

function inputOf(request: ModelRequest): Usage {
  return { inputTokens: estimateRequestTokens(request), outputTokens: 0, cachedTokens: 0, estimated: true };
}

/** Candidates whose window can't hold the request come last: an estimate must not keep anyone from trying. */
function fittingFirst(ranked: readonly Candidate[], request: ModelRequest): readonly Candidate[] {
  if (ranked.length < 2) return ranked;
  const tokens = estimateRequestTokens(request);
  if (ranked.every(({ model }) => tokens <= model.contextWindow)) return ranked;
  return ranked.toSorted(
    (a, b) => Number(tokens > a.model.contextWindow) - Number(tokens > b.model.contextWindow),
  );
}

/** What the caller asked of this answer beside its content. */
function boundsOf({ parameters, answerTokensMax }: ModelRequest, model: Model) {
  return {
    hasStops: (parameters?.stop ?? model.stops ?? []).length > 0,
    hasLimits: answerTokensMax !== undefined || parameters?.max_tokens !== undefined,
  };
}

function movingAverage(averageMs: number | undefined, latencyMs: number): number {
  return averageMs === undefined
    ? latencyMs
    : averageMs * (1 - newLatencyWeight) + latencyMs * newLatencyWeight;
}

/**
 * Says that a candidate's circuit is open, and why. Agents of several tenants may share a circuit: the words are those of the
 * candidate's own last failure, and otherwise no more than its class.
 */
function pausedBecause({ model, breaker, lastReason }: Candidate): string {
  const why = lastReason ?? breaker.state().lastFailure?.code;
  const name = `${model.provider}/${model.model}`;
  return `${name} is paused after repeated failures${why === undefined ? "" : ` (${why})`}`;
}

/** Nobody answered: each candidate was out of reach or its circuit let nobody pass. Says who, and when the next try is due. */
function noProvider(failures: readonly ModelFailure[], resting: readonly Candidate[]): AppError {
  const reasons = [
    ...failures.map((failure) => failure.message.replace(/\.$/, "")),
    ...resting.map(pausedBecause),
  ];
  const dueInSeconds = [
    ...failures.flatMap((failure) => failure.retryAfterSeconds ?? []),
    ...resting.map(({ breaker }) => Math.ceil(breaker.probeDueInMs() / 1000)),
  ];
  const nextInSeconds = dueInSeconds.length === 0 ? undefined : Math.max(1, Math.min(...dueInSeconds));
  const hints = [
    ...new Set(failures.flatMap((failure) => failure.details.hint ?? [])),
    ...(nextInSeconds === undefined ? [] : [`The next try is due in ${nextInSeconds} s.`]),
    "`argosy doctor` shows what each provider answers.",
  ];
  return new AppError(
    "unavailable",
    "no_provider_available",
    `No model provider is available: ${reasons.length === 0 ? "none is configured" : reasons.join("; ")}.`,
    {
      details: {
        hint: hints.join(" "),
        ...(nextInSeconds === undefined ? {} : { retryAfterSeconds: nextInSeconds }),
      },
      // Of several the operator's own: a caller is not blamed for a provider that is down.
      cause:
        failures.findLast(({ account }) => account === undefined) ??
        failures.at(-1) ??
        ownServerResting(resting),
    },
  );
}

/** Nobody was called, since only servers of the caller's own were there and all of them rest. */
function ownServerResting(resting: readonly Candidate[]): ModelFailure | undefined {
  const [first] = resting;
  if (first === undefined || resting.some(({ model }) => model.account === undefined)) return undefined;
  const failure = new ModelFailure("unreachable", "The server is left alone after repeated failures.");
  failure.account = first.model.account;
  return failure;
}
