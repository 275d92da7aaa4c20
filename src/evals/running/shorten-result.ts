import type { CaseResult } from "../../contracts/evals/eval-run.ts";

/** Maximum calls of a turn that a result keeps. */
const callsMax = 50;

/**
 * Cuts the texts of a result to what is stored, so that long answers of many cases fill neither the memory nor the disk. The texts are
 * copied, because a part of a text keeps the whole text in memory.
 */
export function shortenResult(result: CaseResult, charsMax: number): CaseResult {
  const cut = (text: string) =>
    text.length > charsMax ? `${text.slice(0, charsMax).toWellFormed()}…` : text;
  const isShort = (value: unknown) => (JSON.stringify(value)?.length ?? 0) <= charsMax;
  const shortened: CaseResult = {
    ...result,
    ...(result.expected !== undefined && { expected: cut(result.expected) }),
    turns: result.turns.map((turn) => ({
      ...turn,
      query: cut(turn.query),
      response: cut(turn.response),
      ...(turn.error && { error: { ...turn.error, message: cut(turn.error.message) } }),
      calls: turn.calls.slice(0, callsMax).map(({ tool, input, output }) => ({
        tool,
        input: isShort(input) ? input : { cut: cut(JSON.stringify(input)) },
        output: isShort(output) ? output : cut(JSON.stringify(output)),
      })),
    })),
    checks: result.checks.map((check) => ({
      ...check,
      ...(check.reason !== undefined && { reason: cut(check.reason) }),
    })),
  };
  return JSON.parse(JSON.stringify(shortened)) as CaseResult;
}

/** Cuts the texts of a result, until its JSON has at most `bytesMax` bytes: the longer the whole is, the more of each. */
export function shortenToBytes(result: CaseResult, bytesMax: number): CaseResult {
  const fits = (one: CaseResult) => Buffer.byteLength(JSON.stringify(one)) <= bytesMax;
  if (fits(result)) return result;
  for (let chars = firstChars; chars > lastChars; chars = Math.floor(chars / 2)) {
    const shortened = shortenResult(result, chars);
    if (fits(shortened)) return shortened;
  }
  const { turns, checks, ...figures } = shortenResult(result, lastChars);
  return {
    ...figures,
    turns: turns.slice(-1).map((turn) => ({ ...turn, calls: [] })),
    checks: checks.slice(0, checksMax),
  };
}

const firstChars = 2000;
const lastChars = 32;
/** Checks of a result that even short texts can't keep small. */
const checksMax = 32;
