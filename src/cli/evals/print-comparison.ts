import type { CaseChange, EvalComparison, SideOfChange } from "../../contracts/evals/eval-run.ts";
import { lineDiff } from "../terminal/line-diff.ts";
import { paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";

/** Changes that are shown with their answers. */
const shownMax = 20;

const words: Readonly<Record<CaseChange["change"], string>> = {
  regressed: "regressed",
  failing: "still failing",
  improved: "improved",
  added: "added",
  removed: "removed",
  passing: "still passing",
};

/** Prints what changed between two runs: the counts, the test, then each change with a diff of the answers, regressions first. */
export function printComparison(
  screen: Screen,
  { before, after, counts, test, changes }: EvalComparison,
): void {
  screen.print(paint("bold", `${before.id} → ${after.id}`));
  const countTexts = Object.entries(words).flatMap(([change, word]) => {
    const count = counts[change as CaseChange["change"]];
    return count > 0 ? [`${count} ${word}`] : [];
  });
  screen.print(countTexts.length === 0 ? "There are no cases." : countTexts.join(", "));
  screen.print(test.note);
  const listedChanges = changes.filter(({ change }) => change !== "passing" && change !== "failing");
  for (const change of listedChanges.slice(0, shownMax)) printChange(screen, change);
  if (listedChanges.length > shownMax)
    screen.print(`… and ${listedChanges.length - shownMax} more; --json prints them all.`);
}

function printChange(screen: Screen, { case: id, target, change, before, after }: CaseChange): void {
  const colour = change === "regressed" ? "red" : change === "improved" ? "green" : "yellow";
  screen.print("");
  screen.print(paint(colour, words[change]), `  ${id} (${target})  ${rate(before)} → ${rate(after)}`);
  for (const { check, reason } of after?.failed ?? []) screen.print(`  ${check}: ${reason ?? "failed"}`);
  if (before === undefined || after === undefined || before.response === after.response) return;
  for (const { mark, text } of lineDiff(before.response.split("\n"), after.response.split("\n"))) {
    const line = `  ${mark} ${text}`;
    screen.print(
      mark === "-" ? paint("red", line) : mark === "+" ? paint("green", line) : paint("dim", line),
    );
  }
}

const rate = (side: SideOfChange | undefined) =>
  side === undefined ? "none" : `${side.passed} of ${side.of}`;
