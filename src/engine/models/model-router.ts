import type { Price } from "../spending/price.ts";
import type { CallFailure } from "./judge-call.ts";
import type { ModelEvent, ModelRequest, Usage } from "./model.ts";

/**
 * What a routed call yields: who was chosen, as soon as that model's first event is there, then its events. After the first
 * one no other candidate is tried. `spent` tells what a call has used that failed, where its provider said so, or that was
 * given up on before it answered, as far as can be estimated.
 */
export type RoutedEvent =
  | {
      type: "chosen";
      provider: string;
      model: string;
      simulated: boolean;
      attempt: number;
      /** Undefined when it is not known. */
      price: Price | undefined;
    }
  | {
      type: "spent";
      provider: string;
      model: string;
      usage: Usage;
      price: Price | undefined;
      /** Whether another candidate may be tried after it, with the same request. */
      mayFailOver: boolean;
    }
  | ModelEvent;

/** A candidate by its names. */
export interface CandidateName {
  provider: string;
  model: string;
}

/** Follows the candidates of one call, in the order in which the router takes them. A reason is a sentence that is safe to show. */
export interface CandidateWatch {
  /** The router calls this candidate. */
  called(candidate: CandidateName): void;
  /** The candidate that was called gave no usable answer. */
  failed(failure: CallFailure, reason: string): void;
  /** The circuit of this candidate is open, so the router does not call it. */
  skipped(candidate: CandidateName, reason: string): void;
}

/**
 * Chooses among an agent's candidates and fails over between them.
 * Throws the ModelFailure of the last candidate that answered, though not usably; AppError `no_provider_available` (503) when
 * none did: each was unreachable or its circuit open.
 */
export interface ModelRouter {
  call(request: ModelRequest, signal: AbortSignal, watch?: CandidateWatch): AsyncIterable<RoutedEvent>;
  /** Smallest context window among the candidates, in tokens: what a prompt has to fit. */
  readonly contextWindow: number;
  /** Tokens of the longest answer among the candidates; undefined when one of them has no bound. */
  readonly answerTokensMax: number | undefined;
  /** The dearest of the known prices among the candidates; undefined when none is known. */
  readonly dearestPrice: Price | undefined;
}
