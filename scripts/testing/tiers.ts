/** Tier of a test file, by its folder. Smoke tests are the part of the second tier that every run has. */
export type Tier = "first" | "smoke" | "second" | "campaign";

const folders: readonly (readonly [prefix: string, Tier])[] = [
  ["tests/e2e/smoke/", "smoke"],
  ["tests/e2e/", "second"],
  ["tests/campaign/", "campaign"],
  ["tests/", "first"],
];

export function tierOf(file: string): Tier {
  const found = folders.find(([prefix]) => file.startsWith(prefix));
  if (found === undefined) throw new Error(`${file} is not below tests/.`);
  return found[1];
}

/** Returns every test file below `root`, sorted: `tests/kit/retry.test.ts`. */
export const findTestFiles = (root: string): string[] =>
  [...new Bun.Glob("tests/**/*.test.{ts,tsx}").scanSync({ cwd: root })]
    .filter((file) => !file.includes("/node_modules/"))
    .sort((a, b) => a.localeCompare(b));
