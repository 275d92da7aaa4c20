import type { Work } from "../../kit/concurrency/others-turn.ts";
import { AnswerChain, type ChainStream } from "./answer-chain.ts";
import {
  type ChainVerdict,
  checkAtOnce,
  checkText,
  filterValue,
  type GuardrailReport,
  report,
  untouched,
} from "./check-text.ts";
import type { Guardrail, GuardrailVerdict } from "./guardrail.ts";
import { createTextBudget, shortLength, type TextBudgetOptions } from "./text-budget.ts";

/** The guardrails of one stage in definition order. Each checks the text that the previous one returned. */
export interface GuardrailChain {
  readonly length: number;
  /** True if a guardrail may end an answer and thereby the model's call. */
  readonly limitsAnswers: boolean;
  /** The same guardrails for answers and tool results that a caller sends: those for the text of users let everything pass. */
  readonly forQuoted: GuardrailChain;
  check(text: string): Work<ChainVerdict>;
  /** As `check`, at once, for a short text; undefined if the text needs `check`. */
  checkShort(text: string): ChainVerdict | undefined;
  open(): ChainStream;
  /** Checks each string, key and number of a JSON value separately: for tool arguments and results. Throws `guardrail_blocked`. */
  filterValue<T>(value: T): Work<T>;
}

/**
 * Creates a chain of `guardrails`. An empty chain passes everything unchanged. The guardrails share one budget of work per text: a message,
 * an answer, or the arguments or result of a tool.
 */
export function createGuardrailChain(
  guardrails: readonly Guardrail[],
  budgetOptions: TextBudgetOptions = {},
): GuardrailChain {
  if (guardrails.length === 0) return emptyChain;
  const texts = guardrails.filter((guardrail) => "check" in guardrail);
  const newBudget = () => createTextBudget(budgetOptions);
  const isForUsers = texts.some(({ forUserText }) => forUserText === true);
  const areShort = texts.every(({ checkShort }) => checkShort !== undefined);
  let quoted: GuardrailChain | undefined;
  return {
    length: guardrails.length,
    get forQuoted() {
      if (!isForUsers) return this;
      quoted ??= createGuardrailChain(guardrails.map(passingQuoted), budgetOptions);
      return quoted;
    },
    limitsAnswers: guardrails.some(
      (guardrail) => "limit" in guardrail && guardrail.action !== "warn" && guardrail.action !== "log",
    ),
    *check(text) {
      const reports: GuardrailReport[] = [];
      const { text: checked, blocked } = yield* checkText(texts, text, newBudget(), (guardrail, found) =>
        reports.push(report(guardrail, found)),
      );
      return { text: checked, reports, blocked };
    },
    checkShort(text) {
      if (!areShort || text.length > shortLength) return undefined;
      const reports: GuardrailReport[] = [];
      const { text: checked, blocked } = checkAtOnce(texts, text, newBudget(), (guardrail, found) =>
        reports.push(report(guardrail, found)),
      );
      return { text: checked, reports, blocked };
    },
    open: () => new AnswerChain(guardrails, texts, newBudget),
    filterValue: (value) => filterValue(texts, value, newBudget(), () => {}),
  };
}

/** The guardrail itself, or one that lets everything pass: its place among the others, and in their reports, stays. */
function passingQuoted(guardrail: Guardrail): Guardrail {
  if (!("check" in guardrail) || guardrail.forUserText !== true) return guardrail;
  const passed = (text: string): GuardrailVerdict => ({ outcome: "passed", text, hits: 0 });
  return {
    ...guardrail,
    forUserText: false,
    check: (text) => untouched(passed(text)),
    checkShort: passed,
  };
}

const emptyChain: GuardrailChain = {
  length: 0,
  limitsAnswers: false,
  get forQuoted() {
    return this;
  },
  check: (text) => untouched({ text, reports: [], blocked: undefined }),
  checkShort: (text) => ({ text, reports: [], blocked: undefined }),
  open: () => ({
    push: untouched,
    pushShort: (piece) => piece,
    isComplete: false,
    end: () => untouched(""),
    endShort: () => "",
    filterValue: untouched,
    reports: () => [],
  }),
  filterValue: untouched,
};
