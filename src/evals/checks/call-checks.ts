import type { Work } from "../../kit/concurrency/others-turn.ts";
import { matchesPart } from "../../kit/json/matches-part.ts";
import type { CheckEntry } from "../../manifest/eval/checks.ts";
import { schemaCheck } from "./answer-checks.ts";
import type { CaseWork } from "./case-work.ts";
import { type BuildCheck, type CheckVerdict, failed, passed, quoted } from "./check.ts";
import type { DocumentAllowance } from "./document-allowance.ts";
import type { ObservedCall } from "./observation.ts";

type ExpectedCall = NonNullable<CheckEntry["trajectory"]>["calls"][number];

/** Returns true if a call is the expected one. */
type Fits = (call: ObservedCall, work: CaseWork) => Work<boolean>;

export const toolCalled: BuildCheck<"tool_called"> = function* ({ times, ...expected }, _, allowance) {
  const matcher = yield* matcherOf(expected, allowance);
  if ("problem" in matcher) return { problem: matcher.problem, at: "arguments_schema" };
  return {
    *perform({ calls }, _of, _ports, _signal, work) {
      let callsMatched = 0;
      for (const call of calls) if (yield* matcher.fits(call, work)) callsMatched++;
      if (times === undefined ? callsMatched > 0 : callsMatched === times) return passed();
      const wanted = times === undefined ? "at least one" : String(times);
      const ofTool = calls.filter(({ tool }) => tool === expected.tool);
      const seen = ofTool.length > 0 ? `its calls: ${describe(ofTool)}` : `calls: ${describe(calls)}`;
      return failed(
        `${wanted} matching call${times === 1 ? "" : "s"} of ${expected.tool} expected, got ${callsMatched}; ${seen}`,
      );
    },
  };
};

export const toolOrder: BuildCheck<"tool_order"> = (tools) => ({
  *perform({ calls }, _of, _ports, _signal, work) {
    const wanted = tools.map((name) => ({ name, fits: named(name) }));
    return yield* inOrder(wanted, calls, work);
  },
});

const named = (name: string): Fits =>
  function* ({ tool }, work) {
    if (work.spend(1)) yield;
    return tool === name;
  };

export const forbiddenTools: BuildCheck<"forbidden_tools"> = (tools) => ({
  perform: ({ calls }) => withoutForbidden(tools, calls),
});

export const maxSteps: BuildCheck<"max_steps"> = (most) => ({
  perform: ({ steps }) => withinSteps(most, steps),
});

export const trajectory: BuildCheck<"trajectory"> = function* (
  { calls: expected, order, forbidden, max_steps: most },
  _,
  allowance,
) {
  const wanted: Named[] = [];
  for (const [index, call] of expected.entries()) {
    const matcher = yield* matcherOf(call, allowance);
    if ("problem" in matcher) return { problem: matcher.problem, at: `calls[${index}].arguments_schema` };
    wanted.push({ name: call.tool, fits: matcher.fits });
  }
  return {
    *perform({ calls, steps }, _of, _ports, _signal, work) {
      const verdicts = [
        ...(expected.length > 0 || order === "exact" ? [yield* matchCalls[order](wanted, calls, work)] : []),
        ...(forbidden === undefined ? [] : [withoutForbidden(forbidden, calls)]),
        ...(most === undefined ? [] : [withinSteps(most, steps)]),
      ];
      const faults = verdicts.flatMap((verdict) => (verdict.passed ? [] : [verdict.reason ?? ""]));
      return faults.length === 0 ? passed() : failed(faults.join("; "));
    },
  };
};

interface Named {
  name: string;
  fits: Fits;
}

function* matcherOf(
  expected: ExpectedCall,
  allowance: DocumentAllowance,
): Work<{ fits: Fits } | { problem: string }> {
  const { tool, arguments: given = {}, arguments_schema: schema } = expected;
  const compiled = schema === undefined ? undefined : yield* schemaCheck(schema, allowance);
  if (compiled !== undefined && "problem" in compiled) return compiled;
  return {
    *fits(call, work) {
      if (work.spend(1)) yield;
      if (call.tool !== tool || !(yield* matchesPart(given, call.input, work.spend))) return false;
      return compiled === undefined || (yield* compiled.check(call.input, work)).passed;
    },
  };
}

type MatchCalls = (
  wanted: readonly Named[],
  calls: readonly ObservedCall[],
  work: CaseWork,
) => Work<CheckVerdict>;

/** Ways to compare expected with actual calls. */
const matchCalls: Record<"exact" | "in_order" | "any_order", MatchCalls> = {
  *exact(wanted, calls, work) {
    let isSame = wanted.length === calls.length;
    for (const [at, { fits }] of wanted.entries()) isSame &&= yield* fits(calls[at] as ObservedCall, work);
    return isSame ? passed() : failed(`exactly ${names(wanted)} expected; calls: ${describe(calls)}`);
  },
  in_order: inOrder,
  *any_order(wanted, calls, work) {
    const missing = yield* unmatched(wanted, calls, work);
    return missing === undefined ? passed() : failed(`${missing.name} is missing; calls: ${describe(calls)}`);
  },
};

function* inOrder(
  wanted: readonly Named[],
  calls: readonly ObservedCall[],
  work: CaseWork,
): Work<CheckVerdict> {
  let next = 0;
  for (const call of calls) {
    const expected = wanted[next];
    if (expected !== undefined && (yield* expected.fits(call, work))) next++;
  }
  const missing = wanted[next];
  if (missing === undefined) return passed();
  return failed(
    `${names(wanted)} expected in this order, ${missing.name} is missing at ${next + 1}; calls: ${describe(calls)}`,
  );
}

/**
 * Finds an expected call that no call is left for. An expected call may fit several calls, so this searches for a complete assignment
 * (augmenting paths), which taking the first fitting call would miss.
 */
function* unmatched(
  wanted: readonly Named[],
  calls: readonly ObservedCall[],
  work: CaseWork,
): Work<Named | undefined> {
  const takenBy = new Map<number, number>();
  function* assign(index: number, tried: Set<number>): Work<boolean> {
    for (const [at, call] of calls.entries()) {
      const expected = wanted[index];
      if (tried.has(at) || expected === undefined || !(yield* expected.fits(call, work))) continue;
      tried.add(at);
      const other = takenBy.get(at);
      if (other !== undefined && !(yield* assign(other, tried))) continue;
      takenBy.set(at, index);
      return true;
    }
    return false;
  }
  for (const [index, one] of wanted.entries()) if (!(yield* assign(index, new Set()))) return one;
  return undefined;
}

function withoutForbidden(tools: readonly string[], calls: readonly ObservedCall[]): CheckVerdict {
  const called = calls.find(({ tool }) => tools.includes(tool));
  return called === undefined ? passed() : failed(`${called.tool} was called, which is forbidden`);
}

function withinSteps(most: number, steps: number): CheckVerdict {
  const reason = `${steps} of at most ${most} steps`;
  return steps <= most ? passed(reason) : failed(reason);
}

const names = (wanted: readonly Named[]) =>
  wanted.length === 0 ? "no call" : wanted.map(({ name }) => name).join(", ");

function describe(calls: readonly ObservedCall[]): string {
  if (calls.length === 0) return "none";
  const callTexts = calls.slice(0, 5).map(({ tool, input }) => `${tool} ${quoted(input)}`);
  return calls.length > 5 ? `${callTexts.join(", ")} and ${calls.length - 5} more` : callTexts.join(", ");
}
