import { isSeq, parseDocument, stringify } from "yaml";
import { AppError } from "../../kit/app-error.ts";
import { type EvalCase, evalKind } from "../../manifest/eval/eval.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import { checkFile } from "../../manifest/schema/manifest-kind.ts";

/** A case to add: what was asked and answered, and the results of tools. */
export type NewCase = Pick<EvalCase, "id" | "query" | "expected"> &
  Partial<Pick<EvalCase, "context" | "tags" | "stubs" | "checks">>;

/** Text of a new eval with one case. */
export function newEvalText(name: string, agent: string, one: NewCase): string {
  const document = parseDocument(
    `# Cases of ${agent}. Run them with: argosy eval\napiVersion: platform/v1\nkind: Eval\nmetadata:\n  name: ${name}\nspec:\n  agent: ${agent}\n`,
  );
  document.setIn(["spec", "cases"], document.createNode([plain(one)]));
  return checked(String(document));
}

/**
 * Adds a case at the end of an eval's YAML text and leaves everything else as it is, comments included. Throws AppError `case_exists` if
 * the id is taken, and `cases_elsewhere` if the cases are in a file of their own.
 */
export function withCase(text: string, file: string, one: NewCase): string {
  const { manifest } = valid(text, file);
  const { cases } = manifest.spec;
  if (typeof cases === "string") {
    throw new AppError(
      "conflict",
      "cases_elsewhere",
      `The cases of ${file} are in ${cases}, which can't be changed here.`,
      {
        details: { hint: "Add to another .eval.yaml file, whose cases are in the file itself." },
      },
    );
  }
  if (cases.some(({ id }) => id === one.id)) {
    throw new AppError("conflict", "case_exists", `${file} already has a case ${JSON.stringify(one.id)}.`, {
      details: { hint: "Name the new one with --id." },
    });
  }
  const document = parseDocument(text);
  const list = document.getIn(["spec", "cases"]);
  if (!isSeq(list) || list.range == null)
    throw new AppError("unprocessable", "invalid_manifest", `${file} has no list of cases.`);
  if (list.flow !== true) return checked(withEntry(text, list.range, plain(one)));
  // A case in a list in brackets would be one long line.
  list.flow = false;
  list.add(document.createNode(plain(one)));
  return checked(document.toString({ lineWidth: 0, flowCollectionPadding: false }));
}

/** Inserts an entry after the last line of a list, with the indentation of its first. Everything else stays as it is. */
function withEntry(text: string, [start, end]: readonly [number, number, number], entry: object): string {
  const indent = " ".repeat(start - (text.lastIndexOf("\n", start - 1) + 1));
  const lineEnd = text[end - 1] === "\n" ? end : text.indexOf("\n", end) + 1;
  const at = lineEnd === 0 ? text.length : lineEnd;
  const before = text.slice(0, at);
  const lines = stringify([entry], { lineWidth: 0 }).replaceAll(/^(?=.)/gm, indent);
  return `${before}${before.endsWith("\n") ? "" : "\n"}${lines}${text.slice(at)}`;
}

/** The case with its fields in reading order and without empty ones. */
function plain({ id, query, context, expected, tags = [], stubs = [], checks = [] }: NewCase): object {
  return {
    id,
    query,
    ...(context && Object.keys(context).length > 0 && { context }),
    ...(expected !== undefined && { expected }),
    ...(tags.length > 0 && { tags }),
    ...(stubs.length > 0 && { stubs }),
    ...(checks.length > 0 && { checks }),
  };
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
