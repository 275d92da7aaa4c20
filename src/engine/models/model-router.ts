import type { ModelEvent, ModelRequest } from "./model.ts";

/**
 * What a routed call yields: who was chosen, as soon as that model's first event is there, then its events. After the first
 * one no other candidate is tried.
 */
export type RoutedEvent =
  | { type: "chosen"; provider: string; model: string; simulated: boolean; attempt: number }
  | ModelEvent;

/**
 * Chooses among an agent's candidates and fails over between them.
 * Throws the ModelFailure of the last candidate that answered, though not usably; AppError `no_provider_available` (503) when
 * none did: each was unreachable or its circuit open.
 */
export interface ModelRouter {
  call(request: ModelRequest, signal: AbortSignal): AsyncIterable<RoutedEvent>;
  /** Smallest context window among the candidates, in tokens: what a prompt has to fit. */
  readonly contextWindow: number;
}
