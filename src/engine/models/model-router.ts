import type { ModelEvent, ModelRequest } from "./model.ts";

/** What a routed call yields: who was chosen, then that model's events. After the first text no other candidate is tried. */
export type RoutedEvent =
  | { type: "chosen"; provider: string; model: string; simulated: boolean; attempt: number }
  | ModelEvent;

/**
 * Chooses among an agent's candidates and fails over between them.
 * Throws ModelFailure of the last candidate tried, or AppError `no_provider_available` (503) when every circuit is open
 * or every candidate was unreachable.
 */
export interface ModelRouter {
  call(request: ModelRequest, signal: AbortSignal): AsyncIterable<RoutedEvent>;
  /** Smallest context window among the candidates, in tokens: what a prompt has to fit. */
  readonly contextWindow: number;
}
