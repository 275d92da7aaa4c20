import type { CaseResult, EvalRun } from "../../contracts/evals/eval-run.ts";

/** JUnit XML of runs, one suite for each target, for build servers. */
export function junitReport(runs: readonly EvalRun[]): string {
  const suites = runs.flatMap((run) =>
    run.run.targets.map((target) =>
      suite(
        run,
        target,
        run.results.filter((result) => result.target === target),
      ),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("")}</testsuites>\n`;
}

function suite({ run }: EvalRun, target: string, results: readonly CaseResult[]): string {
  const failures = results.filter(({ passed }) => !passed).length;
  const seconds = results.reduce((sum, { latency_ms: ms }) => sum + ms, 0) / 1000;
  const head = attributes({
    name: `${run.eval} (${target})`,
    tests: results.length,
    failures,
    time: seconds.toFixed(3),
    timestamp: run.started_at,
  });
  return `  <testsuite${head}>\n${results.map((result) => testCase(run.eval, run.repeat, result)).join("")}  </testsuite>\n`;
}

function testCase(name: string, repeats: number, result: CaseResult): string {
  const repetition = repeats > 1 ? ` #${result.repeat}` : "";
  const head = attributes({
    name: `${result.case}${repetition}`,
    classname: `${name}.${result.target}`,
    time: (result.latency_ms / 1000).toFixed(3),
  });
  if (result.passed) return `    <testcase${head}/>\n`;
  const faults = result.checks.filter(({ passed, informative }) => !passed && informative !== true);
  const faultTexts = faults.map(
    ({ check, turn, reason }) =>
      `${check}${turn === undefined ? "" : ` (turn ${turn})`}: ${reason ?? "failed"}`,
  );
  const answer = result.turns.map(({ query, response }) => `> ${query}\n${response}`).join("\n");
  return `    <testcase${head}>\n      <failure${attributes({ message: faultTexts[0] ?? "failed" })}>${xml(`${faultTexts.join("\n")}\n\n${answer}`)}</failure>\n    </testcase>\n`;
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(String(value))}"`)
    .join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Escapes a text; characters that XML 1.0 does not have become the replacement character. */
function xml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids these.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
      .replaceAll(/[&<>"\n]/g, (character) => entities[character] ?? character)
  );
}
