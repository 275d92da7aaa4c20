import { isSeq, parseDocument, stringify } from "yaml";
import { AppError } from "../../kit/app-error.ts";
import { type EvalCase, evalKind, idsOf } from "../../manifest/eval/eval.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import { checkFile } from "../../manifest/schema/manifest-kind.ts";

/** A case to add. The schema checks it when it is written. */
export type NewCase = Partial<EvalCase>;

/** Text of a new eval with one case. */
export function newEvalText(name: string, agent: string, one: NewCase, description?: string): string {
  const document = parseDocument(
    `# Cases of ${agent}. Run them with: argosy eval\napiVersion: platform/v1\nkind: Eval\nmetadata:\n  name: ${name}\nspec:\n  agent: ${agent}\n`,
  );
  if (description !== undefined && description !== "") document.setIn(["spec", "description"], description);
  document.setIn(["spec", "cases"], document.createNode([plain(one)]));
  return checked(document.toString({ lineWidth: 0 }));
}

/**
 * Adds a case at the end of an eval's YAML text and leaves everything else as it is, comments included. Throws AppError `case_exists` if
 * the id is taken, and `cases_elsewhere` if the cases are in a file of their own.
 */
export function withCase(text: string, file: string, one: NewCase): string {
  return withCases(text, file, [one]);
}

/** Like `withCase`, for several cases. The error names all ids that are taken. */
export function withCases(text: string, file: string, added: readonly NewCase[]): string {
  const { manifest } = valid(text, file);
  const { cases } = manifest.spec;
  if (typeof cases === "string") throw casesElsewhere(file, cases);
  requireNewIds(cases, added, file);
  const document = parseDocument(text);
  const list = document.getIn(["spec", "cases"]);
  if (!isSeq(list) || list.range == null)
    throw new AppError("unprocessable", "invalid_manifest", `${file} has no list of cases.`);
  if (list.flow !== true) return checked(withEntries(text, list.range, added.map(plain)));
  // A case in a list in brackets would be one long line.
  list.flow = false;
  for (const one of added) list.add(document.createNode(plain(one)));
  return checked(document.toString({ lineWidth: 0, flowCollectionPadding: false }));
}

/** Error for cases that are in a file of their own. */
export function casesElsewhere(file: string, cases: string): AppError {
  return new AppError(
    "conflict",
    "cases_elsewhere",
    `The cases of ${file} are in ${cases}, which can't be changed here.`,
    { details: { hint: "Add to another .eval.yaml file, whose cases are in the file itself." } },
  );
}

/** Throws AppError `case_exists` if the id of an added case is taken. */
export function requireNewIds(
  cases: readonly Pick<EvalCase, "id">[],
  added: readonly NewCase[],
  file: string,
): void {
  const taken = new Set(idsOf(cases));
  const repeated = added.flatMap(({ id }) => (id !== undefined && taken.has(id) ? [id] : []));
  const [first] = repeated;
  if (first === undefined) return;
  const more = repeated.length > 1 ? ` (and ${repeated.length - 1} more)` : "";
  throw new AppError(
    "conflict",
    "case_exists",
    `${file} already has a case ${JSON.stringify(first)}${more}.`,
    {
      details: {
        hint: "Give the new case another id (`--id` on the command line).",
        problems: repeated.slice(0, 20).map((id) => ({ path: id, message: "is the id of a case" })),
      },
    },
  );
}

/** Inserts entries after the last line of a list, with the indentation of its first. Everything else stays as it is. */
function withEntries(
  text: string,
  [start, end]: readonly [number, number, number],
  entries: readonly object[],
): string {
  const indent = " ".repeat(start - (text.lastIndexOf("\n", start - 1) + 1));
  const lineEnd = text[end - 1] === "\n" ? end : text.indexOf("\n", end) + 1;
  const at = lineEnd === 0 ? text.length : lineEnd;
  const before = text.slice(0, at);
  const lines = stringify(entries, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, indent);
  return `${before}${before.endsWith("\n") ? "" : "\n"}${lines}${text.slice(at)}`;
}

const readingOrder = [
  "id",
  "query",
  "turns",
  "context",
  "expected",
  "answer",
  "label",
  "tags",
  "stubs",
  "checks",
];

/** The case with its fields in reading order and without empty ones. Fields that the schema does not know stay, and are refused by it. */
export function plain(one: object): Record<string, unknown> {
  const place = (key: string) =>
    readingOrder.includes(key) ? readingOrder.indexOf(key) : readingOrder.length;
  return Object.fromEntries(
    Object.entries(one)
      .filter(([key, value]) => value !== undefined && !(readingOrder.includes(key) && isEmpty(value)))
      .sort(([a], [b]) => place(a) - place(b)),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** A case that the schema refuses is never written. */
function checked(text: string): string {
  valid(text, "The new case");
  return text;
}

function valid(text: string, file: string) {
  const read = checkFile(evalKind, text, (name) => `\${${name}}`);
  if ("problems" in read) throw invalidManifest(read.problems, file);
  return read;
}
