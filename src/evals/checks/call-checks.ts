import { matchesPart } from "../../kit/json/matches-part.ts";
import type { CheckEntry } from "../../manifest/eval/checks.ts";
import { schemaCheck } from "./answer-checks.ts";
import { type BuildCheck, failed, passed, quoted, type Verdict } from "./check.ts";
import type { ObservedCall } from "./observation.ts";

type ExpectedCall = NonNullable<CheckEntry["trajectory"]>["calls"][number];

/** Returns true if a call is the expected one. */
type Fits = (call: ObservedCall) => boolean;

export const toolCalled: BuildCheck<"tool_called"> = ({ times, ...expected }) => {
  const matcher = matcherOf(expected);
  if ("problem" in matcher) return { problem: matcher.problem, at: "arguments_schema" };
  return {
    perform({ calls }) {
      const found = calls.filter(matcher.fits).length;
      if (times === undefined ? found > 0 : found === times) return passed();
      const wanted = times === undefined ? "at least one" : String(times);
      const ofTool = calls.filter(({ tool }) => tool === expected.tool);
      const seen = ofTool.length > 0 ? `its calls: ${describe(ofTool)}` : `calls: ${describe(calls)}`;
      return failed(
        `${wanted} matching call${times === 1 ? "" : "s"} of ${expected.tool} expected, got ${found}; ${seen}`,
      );
    },
  };
};

export const toolOrder: BuildCheck<"tool_order"> = (tools) => ({
  perform: ({ calls }) =>
    inOrder(
      tools.map((name): Named => ({ name, fits: ({ tool }) => tool === name })),
      calls,
    ),
});

export const forbiddenTools: BuildCheck<"forbidden_tools"> = (tools) => ({
  perform: ({ calls }) => withoutForbidden(tools, calls),
});

export const maxSteps: BuildCheck<"max_steps"> = (most) => ({
  perform: ({ steps }) => withinSteps(most, steps),
});

export const trajectory: BuildCheck<"trajectory"> = ({
  calls: expected,
  order,
  forbidden,
  max_steps: most,
}) => {
  const wanted: Named[] = [];
  for (const [index, call] of expected.entries()) {
    const matcher = matcherOf(call);
    if ("problem" in matcher) return { problem: matcher.problem, at: `calls[${index}].arguments_schema` };
    wanted.push({ name: call.tool, fits: matcher.fits });
  }
  return {
    perform({ calls, steps }) {
      const verdicts = [
        ...(expected.length > 0 || order === "exact" ? [matchCalls[order](wanted, calls)] : []),
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

function matcherOf(expected: ExpectedCall): { fits: Fits } | { problem: string } {
  const { tool, arguments: given = {}, arguments_schema: schema } = expected;
  const compiled = schema === undefined ? undefined : schemaCheck(schema);
  if (compiled !== undefined && "problem" in compiled) return compiled;
  return {
    fits: (call) =>
      call.tool === tool &&
      matchesPart(given, call.input) &&
      (compiled === undefined || compiled.check(call.input).passed),
  };
}

/** Ways to compare expected with actual calls. */
const matchCalls = {
  exact(wanted: readonly Named[], calls: readonly ObservedCall[]): Verdict {
    const isSame =
      wanted.length === calls.length && wanted.every(({ fits }, at) => fits(calls[at] as ObservedCall));
    return isSame ? passed() : failed(`exactly ${names(wanted)} expected; calls: ${describe(calls)}`);
  },
  in_order: inOrder,
  any_order(wanted: readonly Named[], calls: readonly ObservedCall[]): Verdict {
    const missing = unmatched(wanted, calls);
    return missing === undefined ? passed() : failed(`${missing.name} is missing; calls: ${describe(calls)}`);
  },
};

function inOrder(wanted: readonly Named[], calls: readonly ObservedCall[]): Verdict {
  let next = 0;
  for (const call of calls) if (wanted[next]?.fits(call)) next++;
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
function unmatched(wanted: readonly Named[], calls: readonly ObservedCall[]): Named | undefined {
  const takenBy = new Map<number, number>();
  const assign = (index: number, tried: Set<number>): boolean => {
    for (const [at, call] of calls.entries()) {
      if (tried.has(at) || !wanted[index]?.fits(call)) continue;
      tried.add(at);
      const other = takenBy.get(at);
      if (other !== undefined && !assign(other, tried)) continue;
      takenBy.set(at, index);
      return true;
    }
    return false;
  };
  return wanted.find((_, index) => !assign(index, new Set()));
}

function withoutForbidden(tools: readonly string[], calls: readonly ObservedCall[]): Verdict {
  const called = calls.find(({ tool }) => tools.includes(tool));
  return called === undefined ? passed() : failed(`${called.tool} was called, which is forbidden`);
}

function withinSteps(most: number, steps: number): Verdict {
  const reason = `${steps} of at most ${most} steps`;
  return steps <= most ? passed(reason) : failed(reason);
}

const names = (wanted: readonly Named[]) =>
  wanted.length === 0 ? "no call" : wanted.map(({ name }) => name).join(", ");

function describe(calls: readonly ObservedCall[]): string {
  if (calls.length === 0) return "none";
  const shown = calls.slice(0, 5).map(({ tool, input }) => `${tool} ${quoted(input)}`);
  return calls.length > 5 ? `${shown.join(", ")} and ${calls.length - 5} more` : shown.join(", ");
}
