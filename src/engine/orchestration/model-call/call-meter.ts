import type { LateEnd, ModelRequest, Usage } from "../../models/model.ts";
import type { ModelRouter, RoutedEvent } from "../../models/model-router.ts";
import { costMicros } from "../../models/price.ts";
import { estimateRequestTokens, estimateTokens } from "../../models/token-count.ts";
import { addUsage, type ModelCallRecord, usageDifference } from "../../run-state/run-state.ts";
import { type Hold, holdAll, type SpentCall } from "../../spending/allowance.ts";
import { inputTokensMax, usualAnswerTokens } from "../../spending/call-bounds.ts";
import type { ModelCaller, SpokenThread } from "../pattern.ts";

type Chosen = Extract<RoutedEvent, { type: "chosen" }>;
type Failed = Extract<RoutedEvent, { type: "spent" }>;

/** Usage of one candidate's call. Its cost is null if the price is unknown. */
export type CountedCall = Pick<ModelCallRecord, "usage" | "costMicros">;

/** The final usage of a call whose server reported it after the answer. */
export interface LateCount {
  call: CountedCall;
  lostChars: number;
}

/**
 * Counts one model call in the run's state, its allowances and its costs. A call that was cut off is estimated, because it has cost
 * something too.
 */
export class CallMeter {
  readonly #run: ModelCaller;
  readonly #thread: SpokenThread;
  readonly #router: ModelRouter;
  #request: ModelRequest;
  /** The request as the caller made it. */
  readonly #planned: ModelRequest;
  /** Limit on the answer that the caller asked for. */
  readonly #asked: number | undefined;
  readonly #startedMs: number;
  readonly #spent: SpentCall[] = [];
  /** Hold for the candidate that is being called, and the index in `#spent` from which the hold pays. */
  #held: Hold | undefined;
  #heldFrom = 0;
  #chosen: Chosen | undefined;
  #isWhole = false;
  /** Usage of the chosen candidate, reported or estimated. */
  #answer: SpentCall | undefined;
  #isSettled = false;
  #later: Promise<LateEnd | undefined> | undefined;
  #corrected: Promise<LateCount | undefined> | undefined;
  readonly #isPlayed: boolean;
  readonly #role: string | undefined;

  /**
   * Holds the worst case of the call. `isPlayed`: its answer was received before the run paused. Throws AppError `budget_exceeded` if an
   * allowance can't cover it.
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
    this.#thread = thread;
    this.#router = router;
    this.#planned = request;
    this.#asked = request.answerTokensMax;
    this.#held = this.#hold();
    // Only a limit changes the request, and then it is a copy.
    this.#request = this.#held === undefined ? request : { ...request };
    this.#bound();
  }

  /** The request, limited to the longest answer that can be covered. */
  get request(): ModelRequest {
    return this.#request;
  }

  /** The call waits for this promise, which rejects if the call can't be made. Undefined if there is nothing to wait for. */
  get kept(): Promise<void> | undefined {
    return this.#held?.kept;
  }

  chosen(event: Chosen): void {
    this.#chosen = event;
  }

  /**
   * Records the usage of a failed candidate; after one was chosen, it is that candidate's. If another may be tried, `holdNext` has to be
   * called.
   */
  failed({ provider, model, usage, price }: Failed): CountedCall {
    const spent = { provider, model, usage, price };
    this.#spent.push(spent);
    this.#isWhole = this.#chosen !== undefined;
    return counted(spent);
  }

  /** Holds the worst case of the next candidate. Throws AppError `budget_exceeded` if the rest can't cover it. */
  holdNext(): void {
    if (this.#held === undefined) return;
    this.#settleHold();
    this.#held = this.#hold();
    this.#bound();
  }

  /** `later`: the usage that the server may still report; see `ModelEvent`. */
  ended(usage: Usage, later?: Promise<LateEnd | undefined>): void {
    this.#add(usage);
    this.#isWhole = true;
    this.#later = later;
  }

  /** After `settle`: resolves to the final usage if it differs from that of the settlement. Undefined if the usage is final. */
  get corrected(): Promise<LateCount | undefined> | undefined {
    return this.#corrected;
  }

  /**
   * Ends the call; `text` is the part of the answer that was read. Returns the usage of the candidate that answered, if there is one that
   * `failed` has not returned. Only the first settlement counts.
   */
  settle(text: string): CountedCall | undefined {
    if (this.#isSettled) return undefined;
    this.#isSettled = true;
    if (this.#chosen && !this.#isWhole) this.#add(this.#estimate(text));
    const hold = this.#held;
    this.#settleHold();
    const { state, clock } = this.#run;
    const latencyMs = clock.monotonicMs() - this.#startedMs;
    state.modelMs += latencyMs;
    for (const spent of this.#spent) {
      const { provider, model, usage } = spent;
      addUsage(state.usage, usage);
      const made: ModelCallRecord = { provider, model, ...counted(spent), latencyMs };
      if (this.#isPlayed) made.played = true;
      if (this.#role !== undefined) made.role = this.#role;
      state.modelCalls.push(made);
      if (spent === this.#answer && this.#later !== undefined) {
        this.#corrected = this.#correct(made, spent, hold, this.#later);
        made.settled = this.#corrected.then(() => {});
      }
    }
    return this.#answer && counted(this.#answer);
  }

  /** Corrects the record, the run's sum and the allowances once the server has reported the usage. */
  async #correct(
    made: ModelCallRecord,
    before: SpentCall,
    hold: Hold | undefined,
    later: Promise<LateEnd | undefined>,
  ): Promise<LateCount | undefined> {
    const late = await later;
    if (late === undefined) return undefined;
    const after = { ...before, usage: late.usage };
    const call = counted(after);
    hold?.correct?.(before, after);
    addUsage(this.#run.state.usage, usageDifference(before.usage, after.usage));
    made.usage = call.usage;
    made.costMicros = call.costMicros;
    return { call, lostChars: late.lostChars };
  }

  /** Writes the remaining limit into the request, because the router passes the same request to the next candidate. */
  #bound(): void {
    const ceiling = this.#held?.answerTokensMax ?? lowest(this.#run.callTokensMax, this.#asked);
    if (ceiling === undefined || this.#request.answerTokensMax === ceiling) return;
    if (this.#request === this.#planned) this.#request = { ...this.#planned };
    this.#request.answerTokensMax = ceiling;
  }

  #hold(): Hold | undefined {
    if (this.#thread.allowances.length === 0) return undefined;
    const { interceptor } = this.#run;
    try {
      const hold = holdCall(this.#run, this.#thread, this.#router, this.#planned, this.#isPlayed);
      // The call waits for `kept` and fails with its error.
      if (interceptor?.refused !== undefined)
        hold.kept?.catch((refused: unknown) => interceptor.refused?.(this.#planned, refused));
      return hold;
    } catch (refused) {
      interceptor?.refused?.(this.#planned, refused);
      throw refused;
    }
  }

  #settleHold(): void {
    this.#held?.settle(this.#spent.slice(this.#heldFrom));
    this.#heldFrom = this.#spent.length;
    this.#held = undefined;
  }

  /** The estimate never exceeds the call's limit. */
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
    this.#answer = { provider, model, usage, price };
    this.#spent.push(this.#answer);
  }
}

function counted({ usage, price }: SpentCall): CountedCall {
  return { usage, costMicros: price === undefined ? null : costMicros(usage, price) };
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

function lowest(a: number | undefined, b: number | undefined, c?: number): number | undefined {
  const lower = a === undefined || (b !== undefined && b < a) ? b : a;
  return lower === undefined || (c !== undefined && c < lower) ? c : lower;
}
