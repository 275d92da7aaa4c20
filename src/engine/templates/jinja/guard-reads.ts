import type { Edit, JinjaToken, Tag } from "./jinja-tags.ts";

/** Filter that fails the template for a missing value; it gets the value's name. */
export const missingFilter = "_missing";

/** State while reading a tag. */
interface Reader {
  tokens: readonly JinjaToken[];
  at: number;
  source: string;
  edits: Edit[];
  copied: (expression: string) => string;
}

/** Presence of an operand: it may be missing, it is a list whose elements may be missing, or it is present for certain. */
type Found = "perhaps" | "in parts" | "certainly";

/**
 * Makes a missing variable, attribute or element fail the template by its name wherever it is read: in output, conditions, comparisons,
 * loops and arguments. Each operand gets a check for its presence. Operands of `is defined`, `is undefined` or `default` stay unchanged.
 * `copied` rewrites an expression as its tag is rewritten.
 */
export function guardReads(
  tags: readonly Tag[],
  source: string,
  edits: Edit[],
  copied: (expression: string) => string,
): void {
  for (const { kind, tokens } of tags) {
    const at = kind === "print" ? 0 : startOfReading(tokens);
    readExpressions({ tokens, at, source, edits, copied });
  }
}

/** First token that a block tag reads: after its keyword and the names it sets. */
function startOfReading(tokens: readonly JinjaToken[]): number {
  const after = (text: string) => tokens.findIndex((token) => token.text === text) + 1 || tokens.length;
  switch (tokens[0]?.text) {
    case "if":
    case "elif":
    case "with":
    case "do":
      return 1;
    case "for":
      return after("in");
    case "set":
      return after("=");
    case "call":
      return tokens[1]?.text === "(" ? after(")") : 1;
    default:
      return tokens.length;
  }
}

const words = new Set(["and", "or", "not", "in", "is", "if", "else", "recursive"]);
const constants = new Set(["true", "false", "none", "True", "False", "None", "self", "super"]);
/** Filters that return nothing for an empty list. */
const findingFilters = new Set(["first", "last", "min", "max", "random", "attr"]);

/** Reads to the end of the open bracket or of the tag. Returns true if it is a slice. */
function readExpressions(reader: Reader): boolean {
  const { tokens } = reader;
  let isSlice = false;
  while (reader.at < tokens.length) {
    const token = tokens[reader.at] as JinjaToken;
    if (")]}".includes(token.text)) return isSlice;
    if (token.text === "is") skipTest(reader);
    else if (isArgumentName(reader)) skipArgumentName(reader);
    else if (startsOperand(token)) readOperand(reader);
    else {
      isSlice ||= token.text === ":";
      reader.at++;
    }
  }
  return isSlice;
}

function startsOperand({ kind, text }: JinjaToken): boolean {
  if (kind === "operator") return "([{".includes(text);
  return kind !== "name" || !words.has(text);
}

function skipTest(reader: Reader): void {
  reader.at += reader.tokens[reader.at + 1]?.text === "not" ? 3 : 2;
}

function isArgumentName({ tokens, at }: Reader): boolean {
  const [name, equals, further] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (name?.kind !== "name" || equals?.text !== "=") return false;
  return further?.text !== "=" || further.start !== equals.end;
}

/** The value of `attribute` is looked up in each element, not here. */
function skipArgumentName(reader: Reader): void {
  reader.at += reader.tokens[reader.at]?.text === "attribute" ? 3 : 2;
}

function readOperand(reader: Reader): void {
  const { tokens } = reader;
  const first = reader.at;
  let primary = readPrimary(reader);
  for (;;) {
    const next = tokens[reader.at];
    switch (next?.text) {
      case ".":
        // A method is looked up in its object, which must be present.
        if (tokens[reader.at + 2]?.text === "(") guard(reader, first, primary);
        reader.at += 2;
        primary = tokens[reader.at]?.text === "(" ? "certainly" : "perhaps";
        break;
      case "(":
        readBracket(reader);
        break;
      case "[": {
        const { at } = reader;
        const isSlice = readBracket(reader);
        if (isSlice) guard({ ...reader, at }, first, primary);
        primary = isSlice ? "certainly" : "perhaps";
        break;
      }
      case "|":
        guard(reader, first, primary);
        primary = readFilter(reader);
        break;
      default:
        guard(reader, first, primary);
        return;
    }
  }
}

function readPrimary(reader: Reader): Found {
  const { tokens } = reader;
  const token = tokens[reader.at] as JinjaToken;
  if (token.kind === "operator") {
    readBracket(reader);
    return "certainly";
  }
  reader.at++;
  if (token.kind === "string") while (tokens[reader.at]?.kind === "string") reader.at++;
  const isVariable = token.kind === "name" && !constants.has(token.text);
  return isVariable && tokens[reader.at]?.text !== "(" ? "perhaps" : "certainly";
}

function readBracket(reader: Reader): boolean {
  reader.at++;
  const isSlice = readExpressions(reader);
  reader.at++;
  return isSlice;
}

function readFilter(reader: Reader): Found {
  const { tokens } = reader;
  const name = tokens[reader.at + 1]?.text ?? "";
  reader.at += 2;
  const from = reader.at;
  if (tokens[from]?.text === "(") readBracket(reader);
  if (findingFilters.has(name)) return "perhaps";
  const given = tokens.slice(from, reader.at).map(({ text }) => text);
  return name === "map" && given.includes("attribute") && !given.includes("default")
    ? "in parts"
    : "certainly";
}

/** Adds a check for presence to the operand from token `first` to the last one read. */
function guard({ tokens, at, source, edits, copied }: Reader, first: number, found: Found): void {
  const [from, last] = [tokens[first], tokens[at - 1]];
  if (found === "certainly" || !from || !last || isAskedFor(tokens, first, at)) return;
  const expression = onOneLine(tokens.slice(first, at), source);
  const copy = copied(expression);
  const isThere = found === "perhaps" ? `${copy} is defined` : `not ${copy}|select("undefined")|list`;
  edits.push({ start: from.start, end: from.start, text: "(" });
  edits.push({
    start: last.end,
    end: last.end,
    text: ` if ${isThere} else ${JSON.stringify(expression)}|${missingFilter})`,
    after: true,
    origin: from.start,
  });
}

/** Returns true if the template itself tests the operand for presence, also with brackets around it. */
function isAskedFor(tokens: readonly JinjaToken[], first: number, next: number): boolean {
  const [before, after] = [tokens[first - 1], tokens[next]];
  if (before?.text === "(" && after?.text === ")" && !endsOperand(tokens[first - 2])) {
    return isAskedFor(tokens, first - 1, next + 1);
  }
  const then = tokens[next + 1]?.text === "not" ? tokens[next + 2]?.text : tokens[next + 1]?.text;
  if (after?.text === "|") return then === "default" || then === "d";
  return after?.text === "is" && (then === "defined" || then === "undefined");
}

function endsOperand(token: JinjaToken | undefined): boolean {
  if (token === undefined) return false;
  return token.kind === "operator" ? ")]}".includes(token.text) : !words.has(token.text);
}

/** An expression without line breaks, because rewriting must not change the number of lines. */
function onOneLine(tokens: readonly JinjaToken[], source: string): string {
  let text = "";
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (before !== undefined && before.end < token.start) text += " ";
    text += source.slice(token.start, token.end).replace(/\r?\n/g, "\\n");
  }
  return text;
}
