/** An answer that a stand-in of a cloud gives in place of its own. */
export interface StagedFailure {
  method: string;
  /** Found in the path or, for IAM, in the action. */
  at: RegExp;
  status: number;
  code: string;
  message?: string;
  headers?: Record<string, string>;
  times?: number;
  /** True: the request is carried out, and only its answer is lost. */
  isDone?: boolean;
}

/** Failures to come, in order; each counts down. */
export class StagedFailures {
  readonly #staged: (StagedFailure & { left: number })[] = [];

  add(failure: StagedFailure): void {
    this.#staged.push({ ...failure, left: failure.times ?? 1 });
  }

  take(method: string, at: string): StagedFailure | undefined {
    const found = this.#staged.find((one) => one.left > 0 && one.method === method && one.at.test(at));
    if (found !== undefined) found.left--;
    return found;
  }
}
