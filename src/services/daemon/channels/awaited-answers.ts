/** What became of a run that waited: its answer, what it waits for next, or nothing that could be told. */
export type AwaitedOutcome = { text: string } | { awaits: string } | undefined;

/** Runs that wait for somebody, by the id of what they wait for. */
export interface AwaitedAnswers {
  /** Of these ids, those that are over. */
  over(ids: readonly string[]): Promise<string[]>;
  outcome(id: string): Promise<AwaitedOutcome>;
  /** Calls back whenever one may be over, until the signal aborts. */
  onOver(callback: () => void, signal: AbortSignal): void;
}

/** Where no run can wait. */
export const nothingAwaited: AwaitedAnswers = {
  over: async () => [],
  outcome: async () => undefined,
  onOver: () => {},
};
