import { AppError, toAppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { AnswerCut } from "./answer-limit.ts";
import type { Breaker, Breakers, Mishap } from "./breakers.ts";
import { type CallEnd, type CallFailure, judgeCall, teachesLatency } from "./judge-call.ts";
import type { Model, ModelRequest, Usage } from "./model.ts";
import { ModelFailure } from "./model-failure.ts";
import type { CandidateWatch, ModelRouter, RoutedEvent } from "./model-router.ts";
import { dearestPrice, freePrice, type Price } from "./price.ts";
import { type StrategyName, strategies } from "./strategies/strategies.ts";
import type { Standing } from "./strategies/strategy.ts";
import { estimateRequestTokens } from "./token-count.ts";

/** A finished call of one candidate, for metrics, traces and costs. */
export interface FinishedCall {
  provider: string;
  model: string;
  ok: boolean;
  /** The reason why it failed. */
  failure?: CallFailure;
  latencyMs: number;
  /** Time to the first event; undefined if there was none. */
  firstTokenMs?: number;
  /** Undefined unless the call completed. */
  usage?: Usage;
}

export interface RouterOptions {
  /** Primary, then fallbacks, in declared order. */
  candidates: readonly Model[];
  strategy: StrategyName;
  breakers: Breakers;
  clock: Clock;
  /** Returns the price of a model's tokens; not called for local models, which are free. */
  priceOf?: (model: Model) => Price | undefined;
  /** Called once per tried candidate, after its end and before the next one. Must not throw. */
  observe?: (call: FinishedCall) => void;
}

/** Weight of a new latency in the moving average. */
const newLatencyWeight = 0.2;

interface Candidate extends Standing {
  readonly breaker: Breaker;
  readonly rate: Price | undefined;
  latencyMs: number | undefined;
  triedAtCall: number;
  /** Message of its last failure, without the final period. */
  lastReason: string | undefined;
}

/**
 * Creates a router over `candidates`. Only the router retries model calls: it tries each candidate at most once per call, and the next one
 * only before anything of an answer was yielded.
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
    const ranked = throttledLast(fittingFirst(strategy(candidates, { number, request }), request));
    for (const candidate of ranked) {
      signal.throwIfAborted();
      const { model } = candidate;
      if (model.hasGuessedWindow !== true && model.contextWindow <= windowAbove) continue;
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
      const limit = new AnswerCut(request, model);
      try {
        for await (const event of model.call(request, signal)) {
          if (firstTokenMs === undefined) {
            firstTokenMs = clock.monotonicMs() - startedMs;
            yield chosen(candidate, failures.length + 1);
          }
          const last = limit.lastEvents(event);
          if (last !== undefined) {
            end.failure = undefined;
            usage = limit.usage;
            yield* last;
            return;
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
        // A call that was sent and then cancelled has used its input tokens.
        if (signal.aborted && firstTokenMs === undefined) yield spent(candidate, inputOf(request), false);
        signal.throwIfAborted();
        end.failure = thrown instanceof ModelFailure ? thrown.failure : "internal";
        const { message, details } = toAppError(thrown);
        watch?.failed(end.failure, message, details.upstreamMessage);
        if (!(thrown instanceof ModelFailure)) throw thrown;
        end.sign = thrown.sign;
        thrown.account = model.account;
        thrown.ending = judgeCall(end);
        mishap = { code: thrown.failure, message: thrown.message };
        if (thrown.sign?.sign === "throttled" && thrown.retryAfterSeconds !== undefined) {
          candidate.breaker.throttle(model.model, thrown.retryAfterSeconds);
        }
        candidate.lastReason = thrown.message.replace(/\.$/, "");
        usage = thrown.usage ?? (thrown.gaveUp && firstTokenMs === undefined ? inputOf(request) : undefined);
        const isFinal = firstTokenMs !== undefined || !thrown.worthAnotherCandidate;
        if (usage) yield spent(candidate, usage, !isFinal && candidate !== ranked.at(-1));
        if (isFinal) throw thrown;
        failures.push(thrown);
        if (thrown.failure === "context_length" && model.hasGuessedWindow !== true) {
          windowAbove = Math.max(windowAbove, model.contextWindow);
        }
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
    knownWindow: knownWindow(candidates),
    answerTokensMax: longestAnswer(candidates),
    dearestPrice: dearestPrice(candidates.map(({ rate }) => rate)),
  };
}

function knownWindow(candidates: readonly Candidate[]): number | undefined {
  const known = candidates.flatMap(({ model }) =>
    model.hasGuessedWindow === true ? [] : [model.contextWindow],
  );
  return known.length === 0 ? undefined : Math.min(...known);
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

/** Moves candidates whose provider has asked to wait to the end: they are called if no other one answers. */
function throttledLast(ranked: readonly Candidate[]): readonly Candidate[] {
  if (ranked.length < 2) return ranked;
  const isThrottled = ({ breaker, model }: Candidate) => breaker.isThrottled(model.model);
  if (!ranked.some(isThrottled)) return ranked;
  return ranked.toSorted((a, b) => Number(isThrottled(a)) - Number(isThrottled(b)));
}

/** Moves candidates whose window is too small for the request to the end. They are still tried, because the size is an estimate. */
function fittingFirst(ranked: readonly Candidate[], request: ModelRequest): readonly Candidate[] {
  if (ranked.length < 2) return ranked;
  const tokens = estimateRequestTokens(request);
  if (ranked.every(({ model }) => tokens <= model.contextWindow)) return ranked;
  return ranked.toSorted(
    (a, b) => Number(tokens > a.model.contextWindow) - Number(tokens > b.model.contextWindow),
  );
}

/** Limits that the caller set for this answer. */
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
 * Says that a candidate's circuit is open and why: the message of the candidate's own last failure, or the class of the last one that
 * another agent of the same owner met. What other owners met is not told.
 */
function pausedBecause({ model, breaker, lastReason }: Candidate): string {
  const why = lastReason ?? breaker.ownReason();
  const name = `${model.provider}/${model.model}`;
  return `${name} is paused after repeated failures${why === undefined ? "" : ` (${why})`}`;
}

/** The error if no candidate answered because each was unreachable or had an open circuit. It names them and the time of the next try. */
/** What the operator's own provider said last, or else a caller's. */
function upstreamMessageOf(failures: readonly ModelFailure[]): { upstreamMessage?: string } {
  const spoken = failures.findLast(({ details }) => details.upstreamMessage !== undefined);
  return spoken?.details.upstreamMessage === undefined
    ? {}
    : { upstreamMessage: spoken.details.upstreamMessage };
}

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
        ...upstreamMessageOf(failures),
        ...(nextInSeconds === undefined ? {} : { retryAfterSeconds: nextInSeconds }),
      },
      // Prefers a failure of the operator's providers: the caller is not blamed if a provider is down.
      cause:
        failures.findLast(({ account }) => account === undefined) ??
        failures.at(-1) ??
        closedByCaller(resting),
    },
  );
}

/** The failure if no call was made because the caller's own servers, or circuits that only its calls have opened, are all that is left. */
function closedByCaller(resting: readonly Candidate[]): ModelFailure | undefined {
  const isByCaller = ({ model, breaker }: Candidate) =>
    model.account !== undefined || breaker.isClosedByCaller();
  const [first] = resting;
  if (first === undefined || !resting.every(isByCaller)) return undefined;
  const failure = new ModelFailure("unreachable", "Calls are paused after repeated failures.");
  failure.account = first.model.account;
  failure.ending = "released";
  return failure;
}
