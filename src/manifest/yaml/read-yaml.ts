import { Composer, type Document, isMap, isSeq, Lexer, LineCounter, Parser } from "yaml";
import type { Problem } from "../../kit/app-error.ts";
import { atOnce, countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import { type Fault, faultsMax, type Locate, type Path, type Position } from "../fault.ts";
import { depthMax } from "../senders/vet-tree.ts";
import { offsetOf, valuesOf, YamlFault } from "./yaml-values.ts";

/** A document that was read, or the first reason why it cannot be read. */
export type YamlReading = { value: Record<string, unknown>; locate: Locate } | { problem: Problem };

const bytesMax = 1_048_576;
/** Tokens that are read before the work is counted. */
const lexemesPerReading = 500;
/** Reading a token takes 1 µs, and composing its value another. */
const stepsPerLexeme = 75;
const stepsOfComposing = 50;
/** Limit for the tokens, and for the lines, of an operator's file; bounds work and memory. */
export const fileLexemesMax = 200_000;
/** The same limit for a text from a client, which is read while other requests wait: twice the size of a very long manifest. */
export const sentLexemesMax = 20_000;

/**
 * Reads one YAML 1.2 document (core schema; JSON is a part of it) whose root is a mapping. `0755` is the number 755; dates, `12:34:56`,
 * `yes` and `no` are text. Refuses features that readers treat differently or that can do harm:
 * - directives, tags, several documents, merge keys, duplicate keys, keys that are not text;
 * - cycles, and aliases that repeat over 1000 values;
 * - `.inf`, `.nan`, and numbers that would change their value;
 * - more than 64 levels, more than `lexemesMax` tokens or lines, more than 1 MiB.
 */
export function readYaml(text: string, lexemesMax = fileLexemesMax): YamlReading {
  return atOnce(readSentYaml(text, lexemesMax));
}

/** `readYaml` as work in pieces, for a text from a client. */
export function* readSentYaml(text: string, lexemesMax = sentLexemesMax): Work<YamlReading> {
  const lines = new LineCounter();
  const position = positionsIn(text, lines);
  try {
    const document = yield* compose(text, lines, lexemesMax);
    const [first] = syntaxFaults(document, position);
    if (first !== undefined) throw first;
    if (countSteps(0)) yield;
    return { value: valuesOf(document), locate: (path, at) => position(find(document, path, at)) };
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    return { problem: { path: error.path, message: error.message, ...position(error.offset) } };
  }
}

/**
 * Reads the mapping at the root of a text that someone wrote for other programs. Unlike `readYaml`, a number that would change its value, and
 * an alias without an anchor, are their text; keys that `readYaml` refuses are left out, and tags are ignored. Returns `unreadable` for a
 * text that isn't YAML, or beyond the limits of `readYaml`.
 */
export function readForeignYaml(text: string): Record<string, unknown> | "unreadable" | "not_a_mapping" {
  if (text.split("\n").every((line) => /^\s{0,1000}(?:#|$)/.test(line))) return "not_a_mapping";
  try {
    const document = atOnce(compose(text, new LineCounter(), fileLexemesMax));
    if (document.errors.length > 0) return "unreadable";
    return isMap(document.contents) ? valuesOf(document, () => {}, true) : "not_a_mapping";
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    return "unreadable";
  }
}

/** All YAML faults of a text, and the readable part of its value. */
export interface YamlInspection {
  problems: Problem[];
  /** Absent: nothing can be read. */
  found?: {
    value: Record<string, unknown>;
    locate: Locate;
    /** Place of the first syntax fault; the text after it may be misread. */
    soundUntil?: Position;
  };
}

/** Like `readYaml`, for a report: continues after a fault if the rest can be read. */
export function inspectYaml(text: string): YamlInspection {
  const lines = new LineCounter();
  const position = positionsIn(text, lines);
  const faults: YamlFault[] = [];
  let found: YamlInspection["found"];
  try {
    const document = atOnce(compose(text, lines, fileLexemesMax));
    faults.push(...syntaxFaults(document, position));
    const [first] = faults;
    found = {
      value: valuesOf(document, (fault) => {
        // After a syntax fault, its consequences would be reported as further faults.
        if (first === undefined) faults.push(fault);
      }),
      locate: (path, at) => position(find(document, path, at)),
      ...(first !== undefined && { soundUntil: position(first.offset) }),
    };
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    if (faults.length === 0) faults.push(error);
  }
  const problems = faults
    .slice(0, faultsMax)
    .map(({ path, message, offset }) => ({ path, message, ...position(offset) }));
  return { problems, ...(found !== undefined && { found }) };
}

const positionsIn =
  (text: string, lines: LineCounter) =>
  (offset: number): Position => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };

/** Returns the syntax faults, one per line: the library often reports one fault in several ways. */
function syntaxFaults(document: Document, position: (offset: number) => Position): YamlFault[] {
  const reportedLines = new Set<number>();
  return document.errors
    .filter((error) => {
      const { line } = position(error.pos[0]);
      return reportedLines.size < reportedLines.add(line).size;
    })
    .map((error) => {
      // Some of the library's messages end with the text at that place, which may be a password.
      const message = error.message.replace(/(extra characters|unresolved tag)\b[\s\S]*$/i, "$1");
      return new YamlFault(`is not YAML: ${message}`, { offset: error.pos[0] });
    });
}

/**
 * Parses step by step, so that a text is refused at its limit and not when all of it is in memory. The composer after it is recursive; the
 * limit on depth protects the stack.
 */
function* compose(text: string, lines: LineCounter, lexemesMax: number): Work<Document> {
  if (text.length > bytesMax || new TextEncoder().encode(text).length > bytesMax) {
    throw new YamlFault("is longer than 1 MiB", { offset: 0 });
  }
  // A scalar over many lines is one token, however long folding it takes.
  const lineAfter = offsetOfLine(text, lexemesMax + 1);
  if (lineAfter !== undefined)
    throw new YamlFault(`has more than ${lexemesMax} lines`, { offset: lineAfter });
  const parser = new Parser(lines.addNewLine);
  const tokens = [];
  let lexemes = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (++lexemes > lexemesMax)
      throw new YamlFault(`has more than ${lexemesMax} parts`, { offset: parser.offset });
    if (lexemes % lexemesPerReading === 0 && countSteps(lexemesPerReading * stepsPerLexeme)) yield;
    // Besides the collections, the stack contains the document and the scalar that is being read.
    if (parser.stack.length > depthMax + 2) {
      throw new YamlFault(`is nested deeper than ${depthMax} levels`, { offset: parser.offset });
    }
  }
  tokens.push(...parser.end());
  const directive = tokens.find((token) => token.type === "directive");
  if (directive !== undefined) {
    throw new YamlFault("has a `%` directive; they are not supported", { offset: directive.offset });
  }

  // Composing is a piece, and so is what follows it.
  if (countSteps(lexemes * stepsOfComposing)) yield;
  const composer = new Composer({ version: "1.2", schema: "core", stringKeys: true, uniqueKeys: false });
  const [document, second] = composed(composer, tokens);
  if (document === undefined) throw new YamlFault("is empty", { offset: 0 });
  if (second !== undefined && document.errors.length === 0)
    throw new YamlFault("holds more than one document", { offset: second.range[0] });
  return document;
}

/** Returns the offset of a line, the first being 1, or undefined if there are fewer lines. */
function offsetOfLine(text: string, line: number): number | undefined {
  let at = 0;
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf("\n", at);
    if (end === -1 || end + 1 === text.length) return undefined;
    at = end + 1;
  }
  return at;
}

function composed(composer: Composer, tokens: Parameters<Composer["compose"]>[0]): Document.Parsed[] {
  try {
    return [...composer.compose(tokens)];
  } catch (error) {
    // The library collects faults and should never throw. A text that makes it throw is refused like any other.
    throw new YamlFault("is not YAML: it holds something that can't be read", { offset: 0, cause: error });
  }
}

/** Returns the offset of the deepest existing part of `path`. Stops at an alias, whose target may be anywhere. */
function find(document: Document, path: Path, at: Fault["at"]): number {
  let node: unknown = document.contents;
  let offset = offsetOf(node);
  for (const [index, segment] of path.entries()) {
    const last = index === path.length - 1;
    if (isSeq(node) && typeof segment === "number") {
      node = node.items[segment];
      offset = offsetOf(node);
    } else if (isMap(node)) {
      const pair = node.items.find((item) => String(item.key) === segment);
      if (pair === undefined) return offset;
      node = pair.value;
      offset = last && at === "value" && node !== null ? offsetOf(node) : offsetOf(pair.key);
    } else return offset;
  }
  return offset;
}
