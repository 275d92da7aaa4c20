import type { ChangeAction, ResourceChange } from "../../contracts/translator/reconcile.ts";
import type { Gap } from "../../contracts/translator/translation.ts";
import { lineDiff } from "../terminal/line-diff.ts";
import { type Colour, paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";

const marks: Readonly<Record<ChangeAction, { mark: string; colour: Colour }>> = {
  create: { mark: "+", colour: "green" },
  update: { mark: "~", colour: "yellow" },
  delete: { mark: "-", colour: "red" },
};

/** Longest value of a field in a line, in characters; longer ones are compared line by line. */
const valueMax = 100;

/** Prints changes as a diff: a line for each resource, and below it one for each field, or the changed lines of a long value. */
export function printChanges(screen: Screen, changes: readonly ResourceChange[]): void {
  for (const { action, resource, resource_type, fields } of changes) {
    const { mark, colour } = marks[action];
    screen.print(paint(colour, `${mark} ${resource_type} ${resource}`));
    if (action === "delete") continue;
    for (const { path, before, after } of fields) {
      const name = `    ${path}: `;
      if (before === undefined) screen.print(name, paint("green", valueText(after)));
      else if (after === undefined) screen.print(name, paint("red", valueText(before)), " → removed");
      else if (isLong(before) || isLong(after)) printLines(screen, path, before, after);
      else screen.print(name, paint("red", valueText(before)), " → ", paint("green", valueText(after)));
    }
  }
}

const isLong = (value: unknown): boolean => JSON.stringify(value).length > valueMax;

function printLines(screen: Screen, path: string, before: unknown, after: unknown): void {
  screen.print(`    ${path}:`);
  for (const { mark, text } of lineDiff(linesOf(before), linesOf(after))) {
    const line = `      ${mark} ${text}`;
    if (mark === " " || mark === "…") screen.print(paint("dim", line));
    else screen.print(paint(mark === "+" ? "green" : "red", line));
  }
}

/** A text as it is, anything else as indented JSON. */
const linesOf = (value: unknown): string[] =>
  (typeof value === "string" ? value : JSON.stringify(value, null, 2)).split("\n");

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= valueMax ? text : `${text.slice(0, valueMax - 1)}…`;
}

/** Prints what is lost, one line for each gap. */
export function printGaps(screen: Screen, gaps: readonly Gap[]): void {
  for (const { section, coverage, detail } of gaps)
    screen.print(paint("yellow", "! "), paint("bold", section), paint("dim", ` ${coverage}  `), detail);
}

const verbs: Readonly<Record<ChangeAction, string>> = {
  create: "to create",
  update: "to update",
  delete: "to delete",
};

/** The number of changes by action, as in `2 to create, 1 to update`; undefined for none. */
export function summaryOf(changes: readonly ResourceChange[]): string | undefined {
  const counts = Object.entries(verbs).flatMap(([action, verb]) => {
    const count = changes.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${count} ${verb}`];
  });
  return counts.length === 0 ? undefined : counts.join(", ");
}
