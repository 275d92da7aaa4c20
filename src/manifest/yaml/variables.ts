import type { ConvertText } from "../senders/vet-tree.ts";

/** Returns a variable's value, or undefined if it is not set. Throws VariableWithheld if the file may not have it. */
export type Variables = (name: string) => string | undefined;

/** The reason why a file may not have a variable that is set, as the end of a sentence. */
export class VariableWithheld extends Error {}

/** Variables that a file gets only while there is no refusal. */
export function withheldVariables(variables: Variables, refusal: () => string | undefined): Variables {
  return (name) => {
    const reason = refusal();
    const value = variables(name);
    if (value !== undefined && reason !== undefined) throw new VariableWithheld(reason);
    return value;
  };
}

/** Limit for all substituted texts of a document together, in characters. */
const grownLengthMax = 1_048_576;

/** A piece of a text: literal text, or a variable's name; `fault` ends a text that cannot be read further. */
type Piece = { literal: string } | { variable: string } | { fault: string };

/**
 * Splits a text at `${NAME}`; `$${` means a literal `${`. One pass without backtracking, so a text of nothing but openings takes linear
 * time.
 */
function* piecesOf(text: string): Generator<Piece> {
  let from = 0;
  for (;;) {
    const open = text.indexOf("${", from);
    if (open < 0) break;
    if (text[open - 1] === "$" && open > from) {
      yield { literal: `${text.slice(from, open - 1)}\${` };
      from = open + 2;
      continue;
    }
    yield { literal: text.slice(from, open) };
    const close = endOfName(text, open + 2);
    if (close === open + 2 || text[close] !== "}") {
      yield {
        fault: `has a "\${" that no variable name and "}" follow; write "$\${" for the characters themselves`,
      };
      return;
    }
    yield { variable: text.slice(open + 2, close) };
    from = close + 1;
  }
  yield { literal: text.slice(from) };
}

/** Limit for a name; keeps the scan short. */
const nameLengthMax = 128;

function endOfName(text: string, from: number): number {
  let at = from;
  while (at - from <= nameLengthMax && /[A-Za-z0-9_]/.test(text[at] ?? "")) at++;
  return /[0-9]/.test(text[from] ?? "") ? from : at;
}

/** Substitutes variables in an operator's texts. A value always stays text: `${PORT}` is "8000". */
export function substituting(variables: Variables): ConvertText {
  let grown = 0;
  return (text, report) => {
    if (!text.includes("${")) return text;
    let result = "";
    for (const piece of piecesOf(text)) {
      if ("fault" in piece) report(piece.fault);
      else if ("literal" in piece) result += piece.literal;
      else {
        result += valueFor(piece.variable, variables, report);
      }
      if (grown + result.length > grownLengthMax) {
        report("is too long after its variables were put in: 1 MiB is the limit of a document");
        return "";
      }
    }
    grown += result.length;
    return result;
  };
}

function valueFor(name: string, variables: Variables, report: (message: string) => void): string {
  try {
    const value = variables(name);
    if (value === undefined) report(`needs the variable ${name}, which is not set`);
    return value ?? "";
  } catch (thrown) {
    if (!(thrown instanceof VariableWithheld)) throw thrown;
    report(`does not get the variable ${name}: ${thrown.message}`);
    return "";
  }
}

/** For documents from clients: they cannot read this machine's variables. */
export const refusingVariables: ConvertText = (text, report) => {
  if (text.includes("${")) report(`holds "\${"; only files of the operator may read variables`);
  return text;
};

/** Returns the names of the variables that a text reads. */
export function variablesIn(text: string): string[] {
  return [...piecesOf(text)].flatMap((piece) => ("variable" in piece ? [piece.variable] : []));
}
