import { expect, test } from "bun:test";
import { readTestCommand } from "../../scripts/testing/test-command.ts";

test.each([
  [[], { runs: "usual" }],
  [["all"], { runs: "all", tenth: false }],
  [["all", "--tenth"], { runs: "all", tenth: true }],
  [["campaign"], { runs: "campaign" }],
  [["campaign", "--seed", "7", "--minutes", "30"], { runs: "campaign", seed: 7, minutes: 30 }],
  [["campaign", "--seed", "random"], { runs: "campaign", seed: 2 ** 30 }],
  [["--changed"], { runs: "changed" }],
  [["./tests/kit", "-t", "a b"], { runs: "chosen", patterns: ["tests/kit"], name: "a b", options: [] }],
  [["-t", "x", "--bail"], { runs: "chosen", patterns: [], name: "x", options: ["--bail"] }],
])("%j is read", (args, command) => {
  expect(readTestCommand(args, () => 0.5)).toEqual(command as ReturnType<typeof readTestCommand>);
});

test.each([
  [["all", "tests/kit"], "scripts/test all has no argument tests/kit."],
  [["campaign", "--seed"], '--seed must be a whole number below 2147483648, got "".'],
  [["campaign", "--seed", "2147483648"], '--seed must be a whole number below 2147483648, got "2147483648".'],
  [["campaign", "--minutes", "1.5"], '--minutes must be a whole number below 2147483648, got "1.5".'],
  [["campaign", "tests/kit"], "scripts/test campaign has no argument tests/kit."],
  [["--changed", "tests/kit"], "scripts/test --changed has no argument tests/kit."],
  [["-t"], "-t must be followed by a test name."],
])("%j is refused with the reason and the usage", (args, reason) => {
  expect(() => readTestCommand(args)).toThrow(`${reason}\n\nscripts/test `);
});
