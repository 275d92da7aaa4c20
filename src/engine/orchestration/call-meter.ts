import type { ModelRequest, Usage } from "../models/model.ts";
import type { ModelRouter, RoutedEvent } from "../models/model-router.ts";
import { estimateRequestTokens, estimateTokens } from "../models/token-count.ts";
import { addUsage, type ModelCallRecord } from "../run/run-state.ts";
import { type Hold, holdAll, type SpentCall } from "../spending/allowance.ts";
import { usualAnswerTokens } from "../spending/answer-bounds.ts";
import { inputTokensMax } from "../spending/input-bound.ts";
import { costMicros } from "../spending/price.ts";
import type { ModelCaller, SpokenThread } from "./model-caller.ts";

type Chosen = Extract<RoutedEvent, { type: "chosen" }>;
type Failed = Extract<RoutedEvent, { type: "spent" }>;

/**
 * Counts one model call into everything that counts: the run's state, its allowances, its costs. What was cut off before its
 * end is counted by an estimate, since it has cost something all the same.
 */
export class CallMeter {
  readonly #run: ModelCaller;
  readonly #hold: () => Hold | undefined;
  readonly #request: ModelRequest;
  /** The longest answer that whoever makes the call wants. */
  readonly #asked: number | undefined;
  readonly #startedMs: number;
  readonly #spent: SpentCall[] = [];
  /** What is held for the candidate that is called now, and what of `#spent` it has to cover. */
  #held: Hold | undefined;
  #heldFrom = 0;
  #chosen: Chosen | undefined;
  #isWhole = false;
  #isSettled = false;
  readonly #isPlayed: boolean;
  readonly #role: string | undefined;

  /**
   * Holds the worst case of the call; `isPlayed`: its answer is there already, from before the run paused. Throws AppError
   * `budget_exceeded` when an allowance can't cover it.
   */
  constructor(
    run: ModelCaller,
    thread: SpokenThread,
    router: ModelRouter,
    request: ModelRequest,
    isPlayed: boolean,
    role?: string,
  ) {
    this.#isPlayed = isPlayed;
    this.#role = role;
    this.#run = run;
    this.#startedMs = run.clock.monotonicMs();
    this.#hold = () =>
      thread.allowances.length === 0 ? undefined : holdCall(run, thread, router, request, isPlayed);
    this.#held = this.#hold();
    this.#request = { ...request };
    this.#asked = request.answerTokensMax;
    this.#bound();
  }

  /** The request, with the longest answer that can be covered. */
  get request(): ModelRequest {
    return this.#request;
  }

  /** The call waits for this; it rejects when the call can't be made after all. Undefined when there is nothing to wait for. */
  get kept(): Promise<void> | undefined {
    return this.#held?.kept;
  }

  chosen(event: Chosen): void {
    this.#chosen = event;
  }

  /**
   * A candidate that failed has used this; after one was chosen it is the chosen one's. Where another may be tried, its worst
   * case is held anew before: throws AppError `budget_exceeded` when what is left can't cover it.
   */
  failed({ provider, model, usage, price, mayFailOver }: Failed): void {
    this.#spent.push({ provider, model, usage, price });
    this.#isWhole = this.#chosen !== undefined;
    if (!mayFailOver || this.#held === undefined) return;
    this.#settleHold();
    this.#held = this.#hold();
    this.#bound();
  }

  ended(usage: Usage): void {
    this.#add(usage);
    this.#isWhole = true;
  }

  /**
   * The call is over, however it ended; `text` is what was read of it. Returns what the last model's call cost, in micros of
   * USD, where that is known. Only the first settlement counts.
   */
  settle(text: string): number | undefined {
    if (this.#isSettled) return undefined;
    this.#isSettled = true;
    if (this.#chosen && !this.#isWhole) this.#add(this.#estimate(text));
    this.#settleHold();
    const { state, clock } = this.#run;
    const latencyMs = clock.monotonicMs() - this.#startedMs;
    state.modelMs += latencyMs;
    let cost: ModelCallRecord["costMicros"] = null;
    for (const { provider, model, usage, price } of this.#spent) {
      addUsage(state.usage, usage);
      cost = price === undefined ? null : costMicros(usage, price);
      const more = {
        ...(this.#isPlayed && { played: true }),
        ...(this.#role !== undefined && { role: this.#role }),
      };
      state.modelCalls.push({ provider, model, usage, costMicros: cost, latencyMs, ...more });
    }
    return cost ?? undefined;
  }

  /** The router hands the same request to the next candidate: what is left for it is written into it. */
  #bound(): void {
    const ceiling = this.#held?.answerTokensMax ?? lowest(this.#run.callTokensMax, this.#asked);
    if (ceiling !== undefined) this.#request.answerTokensMax = ceiling;
  }

  #settleHold(): void {
    this.#held?.settle(this.#spent.slice(this.#heldFrom));
    this.#heldFrom = this.#spent.length;
    this.#held = undefined;
  }

  /** Nothing is longer than it was allowed to be. */
  #estimate(text: string): Usage {
    const { answerTokensMax = Number.POSITIVE_INFINITY } = this.#request;
    return {
      inputTokens: estimateRequestTokens(this.#request),
      outputTokens: Math.min(estimateTokens(text), answerTokensMax),
      cachedTokens: 0,
      estimated: true,
    };
  }

  #add(usage: Usage): void {
    if (!this.#chosen) return;
    const { provider, model, price } = this.#chosen;
    this.#spent.push({ provider, model, usage, price });
  }
}

function holdCall(
  run: ModelCaller,
  { allowances }: SpokenThread,
  router: ModelRouter,
  request: ModelRequest,
  isPlayed: boolean,
): Hold {
  const answerTokensMax = lowest(
    request.parameters?.max_tokens ?? router.answerTokensMax,
    run.callTokensMax,
    request.answerTokensMax,
  );
  return holdAll(allowances, {
    inputTokensMax: inputTokensMax(request),
    answerTokensMax,
    answerTokensUsual: answerTokensMax ?? usualAnswerTokens(router.contextWindow),
    price: router.dearestPrice,
    ...(isPlayed && { played: true }),
  });
}

function lowest(...ceilings: readonly (number | undefined)[]): number | undefined {
  const known = ceilings.filter((ceiling) => ceiling !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
