import type { GuardrailChain } from "../../src/engine/guardrails/chain.ts";
import type { ChainVerdict, GuardrailReport } from "../../src/engine/guardrails/check-text.ts";
import type { GuardrailVerdict, TextGuardrail } from "../../src/engine/guardrails/guardrail.ts";
import { createTextBudget, type TextBudget } from "../../src/engine/guardrails/text-budget.ts";
import type { Work } from "../../src/kit/concurrency/others-turn.ts";

/** Runs all pieces of some work one after the other. */
export function finish<T>(work: Work<T>): T {
  let next = work.next();
  while (next.done !== true) next = work.next();
  return next.value;
}

/** A stream whose work is complete when a call returns. */
interface StreamAtOnce {
  push(piece: string): string;
  end(): string;
}

export interface GuardrailAtOnce {
  check(text: string): GuardrailVerdict;
  /** Number of steps of one check. */
  steps(text: string): number;
  open(): StreamAtOnce & { readonly blocked: string | undefined; readonly hits: number };
}

export function guardrailAtOnce(
  guardrail: TextGuardrail,
  newBudget: () => TextBudget = () => createTextBudget({ count: () => true }),
): GuardrailAtOnce {
  return {
    check: (text) => finish(guardrail.check(text, newBudget())),
    steps(text) {
      const budget = createTextBudget({ stepsMax: Number.POSITIVE_INFINITY, count: () => true });
      finish(guardrail.check(text, budget));
      return budget.spent;
    },
    open() {
      const stream = guardrail.open(newBudget());
      return {
        // As a run does: short pieces at once, if the guardrail can.
        push: (piece) => stream.pushShort?.(piece) ?? finish(stream.push(piece)),
        end: () => stream.endShort?.() ?? finish(stream.end()),
        get blocked() {
          return stream.blocked;
        },
        get hits() {
          return stream.hits;
        },
      };
    },
  };
}

export interface ChainAtOnce {
  length: number;
  limitsAnswers: boolean;
  check(text: string): ChainVerdict;
  open(): StreamAtOnce & {
    readonly isComplete: boolean;
    filterValue<T>(value: T): T;
    reports(): GuardrailReport[];
  };
  filterValue<T>(value: T): T;
}

export function chainAtOnce(chain: GuardrailChain): ChainAtOnce {
  return {
    length: chain.length,
    limitsAnswers: chain.limitsAnswers,
    check: (text) => chain.checkShort(text) ?? finish(chain.check(text)),
    open() {
      const stream = chain.open();
      return {
        push: (piece) => stream.pushShort(piece) ?? finish(stream.push(piece)),
        end: () => stream.endShort() ?? finish(stream.end()),
        get isComplete() {
          return stream.isComplete;
        },
        filterValue: (value) => finish(stream.filterValue(value)),
        reports: () => stream.reports(),
      };
    },
    filterValue: (value) => finish(chain.filterValue(value)),
  };
}

/** Returns the growth of the steps for a text eight times as long: 1 if linear, 8 if quadratic. */
export function stepGrowth(guardrail: GuardrailAtOnce, recipe: (times: number) => string): number {
  const [small, large] = [recipe(1000), recipe(8000)];
  return guardrail.steps(large) / guardrail.steps(small) / (large.length / small.length);
}
