import type { CallFailure } from "./judge-call.ts";
import type { ModelEvent, ModelRequest, Usage } from "./model.ts";
import type { Price } from "./price.ts";

/**
 * Events of a routed call: the chosen model once its first event is there, then its events. After the first event no other candidate is
 * tried. `spent` reports the usage of a call that failed, as reported by the provider, or estimated for a call that timed out before it
 * answered.
 */
export type RoutedEvent =
  | {
      type: "chosen";
      provider: string;
      model: string;
      simulated: boolean;
      attempt: number;
      /** Undefined if the price is unknown. */
      price: Price | undefined;
    }
  | {
      type: "spent";
      provider: string;
      model: string;
      usage: Usage;
      price: Price | undefined;
      /** True if another candidate may be tried next with the same request. */
      mayFailOver: boolean;
    }
  | ModelEvent;

/** Provider and model of a candidate. */
export interface CandidateName {
  provider: string;
  model: string;
}

/** Follows the candidates of one call, in the order in which the router takes them. A reason is a sentence that is safe to show. */
export interface CandidateWatch {
  /** The router calls this candidate. */
  called(candidate: CandidateName): void;
  /** The candidate that was called gave no usable answer. `said`: its own words, for the owner. */
  failed(failure: CallFailure, reason: string, said?: string): void;
  /** The circuit of this candidate is open, so the router does not call it. */
  skipped(candidate: CandidateName, reason: string): void;
}

/**
 * Chooses among an agent's candidates and fails over between them. Throws the ModelFailure of the last candidate that answered unusably. If
 * none answered because each was unreachable or its circuit open, throws AppError `no_provider_available` (503).
 */
export interface ModelRouter {
  call(request: ModelRequest, signal: AbortSignal, watch?: CandidateWatch): AsyncIterable<RoutedEvent>;
  /** Smallest context window among the candidates, in tokens: the prompt must fit into it. */
  readonly contextWindow: number;
  /** The same among the candidates whose window the operator has set; undefined if there are none. */
  readonly knownWindow: number | undefined;
  /** Largest answer limit among the candidates, in tokens; undefined if one has no limit. */
  readonly answerTokensMax: number | undefined;
  /** Highest known price among the candidates; undefined if none is known. */
  readonly dearestPrice: Price | undefined;
}
