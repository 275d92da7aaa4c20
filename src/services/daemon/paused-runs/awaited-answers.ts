import type { Question } from "../../../contracts/daemon/questions/question.ts";

/**
 * Outcome of a run that waited: its answer, the id it waits for next with the question of a server if it waits for one, or undefined if
 * there is no answer.
 */
export type AwaitedOutcome = { text: string } | { awaits: string; question?: Question } | undefined;

/** Runs that wait for a person or a caller, by the id of the awaited input. */
export interface AwaitedAnswers {
  /** Returns those of the ids that have ended. */
  over(ids: readonly string[]): Promise<string[]>;
  outcome(id: string): Promise<AwaitedOutcome>;
  /** Calls back whenever a run may have ended, until the signal aborts. */
  onOver(callback: () => void, signal: AbortSignal): void;
}

/** For daemons where no run can wait. */
export const nothingAwaited: AwaitedAnswers = {
  over: async () => [],
  outcome: async () => undefined,
  onOver: () => {},
};
