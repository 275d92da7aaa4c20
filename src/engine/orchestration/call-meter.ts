import type { ModelRequest, Usage } from "../models/model.ts";
import type { ModelRouter, RoutedEvent } from "../models/model-router.ts";
import { estimateRequestTokens, estimateTokens } from "../models/token-count.ts";
import { addUsage, type ModelCallRecord } from "../run/run-state.ts";
import { type Hold, holdAll, type SpentCall } from "../spending/allowance.ts";
import { inputTokensMax } from "../spending/input-bound.ts";
import { costMicros } from "../spending/price.ts";
import type { PatternRun } from "./pattern.ts";
import type { Thread } from "./thread.ts";

type Chosen = Extract<RoutedEvent, { type: "chosen" }>;

/**
 * Counts one model call into everything that counts: the run's state, its allowances, its costs. What was cut off before its
 * end is counted by an estimate, since it has cost something all the same.
 */
export class CallMeter {
  readonly #run: PatternRun;
  readonly #request: ModelRequest;
  readonly #hold: Hold | undefined;
  readonly #startedMs: number;
  readonly #spent: (SpentCall & Pick<Chosen, "provider" | "model">)[] = [];
  #chosen: Chosen | undefined;
  #isWhole = false;
  #isSettled = false;

  /** Holds the worst case of the call. Throws AppError `budget_exceeded` when an allowance can't cover it. */
  constructor(run: PatternRun, thread: Thread, router: ModelRouter, request: ModelRequest) {
    this.#run = run;
    this.#startedMs = run.clock.monotonicMs();
    this.#hold = thread.allowances.length === 0 ? undefined : holdCall(run, thread, router, request);
    const ceiling = this.#hold?.answerTokensMax ?? run.callTokensMax;
    this.#request = ceiling === undefined ? request : { ...request, answerTokensMax: ceiling };
  }

  /** The request, with the longest answer that can be covered. */
  get request(): ModelRequest {
    return this.#request;
  }

  chosen(event: Chosen): void {
    this.#chosen = event;
  }

  /** A candidate that failed has used this; after one was chosen it is the chosen one's. */
  failed({ provider, model, usage, price }: Extract<RoutedEvent, { type: "spent" }>): void {
    this.#spent.push({ provider, model, usage, price });
    this.#isWhole = this.#chosen !== undefined;
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
    if (this.#chosen && !this.#isWhole) {
      this.#add({
        inputTokens: estimateRequestTokens(this.#request),
        outputTokens: estimateTokens(text),
        cachedTokens: 0,
        estimated: true,
      });
    }
    this.#hold?.settle(this.#spent);
    const { state, clock } = this.#run;
    const latencyMs = clock.monotonicMs() - this.#startedMs;
    state.modelMs += latencyMs;
    let cost: ModelCallRecord["costMicros"] = null;
    for (const { provider, model, usage, price } of this.#spent) {
      addUsage(state.usage, usage);
      cost = price === undefined ? null : costMicros(usage, price);
      state.modelCalls.push({ provider, model, usage, costMicros: cost, latencyMs });
    }
    return cost ?? undefined;
  }

  #add(usage: Usage): void {
    if (!this.#chosen) return;
    const { provider, model, price } = this.#chosen;
    this.#spent.push({ provider, model, usage, price });
  }
}

function holdCall(run: PatternRun, { allowances }: Thread, router: ModelRouter, request: ModelRequest): Hold {
  const ceilings = [run.parameters?.max_tokens ?? router.answerTokensMax, run.callTokensMax];
  const known = ceilings.filter((ceiling) => ceiling !== undefined);
  return holdAll(allowances, {
    inputTokensMax: inputTokensMax(request),
    answerTokensMax: known.length === 0 ? undefined : Math.min(...known),
    price: router.dearestPrice,
  });
}
