import type { TestCase } from "./junit.ts";

/** The tests and the files that took longest, one line each: what to make cheaper first. */
export function slowest(cases: readonly TestCase[], count = 20): string[] {
  const byFile = new Map<string, number>();
  for (const { file, seconds } of cases) byFile.set(file, (byFile.get(file) ?? 0) + seconds);
  const tests = cases.map(({ file, name, seconds }) => ({ what: `${file} ${oneLine(name)}`, seconds }));
  const files = [...byFile].map(([what, seconds]) => ({ what, seconds }));
  return [
    ...longest(tests, count).map((line) => `slowest test: ${line}`),
    ...longest(files, count).map((line) => `slowest file: ${line}`),
  ];
}

function longest(times: readonly { what: string; seconds: number }[], count: number): string[] {
  return times
    .filter(({ seconds }) => seconds > 0)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ what, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${what}`);
}

/** Names of table tests hold whole values. */
const oneLine = (name: string) => name.replace(/\s+/g, " ").slice(0, 120);
