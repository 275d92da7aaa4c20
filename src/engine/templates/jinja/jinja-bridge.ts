import type { Escaping } from "../template.ts";
import { guardReads } from "./guard-reads.ts";
import { guardLoopControls } from "./jinja-loop-controls.ts";
import { type Edit, type JinjaToken, jinjaTags, type Tag } from "./jinja-tags.ts";
import { escapeForJson } from "./json-escaping.ts";
import { bridgedMethods } from "./python-methods.ts";

/** Prefix and suffix that the engine's name of a library template adds to the author's name. */
export interface LibraryNames {
  before: string;
  after: string;
}

/** Additional behaviour of the rewritten template. */
export interface BridgeOptions {
  /** Default: `none`. */
  escaping?: Escaping;
  /** True if reading a missing value fails the template. */
  strict?: boolean;
}

export interface BridgedTemplate {
  source: string;
  /** Every identifier in the template's code, which includes all variables it reads. */
  names: ReadonlySet<string>;
  /** Converts a position in the bridged source to one in the original. */
  originalOffset(offset: number): number;
}

/**
 * Rewrites Jinja2 syntax that minijinja lacks, token by token, never across lines. Python methods without a counterpart become filters,
 * `dict.get` with a default becomes a subscript, and named arguments of some filters become positional. `set a, b = …` gets parentheses,
 * loop controls become guards, and templates included or imported by name are looked up in this template's library.
 */
export function bridgeJinja(
  source: string,
  library: LibraryNames,
  { escaping = "none", strict = false }: BridgeOptions = {},
): BridgedTemplate {
  const tags = jinjaTags(source);
  const edits: Edit[] = [];
  for (const tag of tags) {
    bridgeExpressions(tag, source, edits);
    if (tag.kind !== "block") continue;
    bridgeUnpackingSet(tag, edits);
    bridgeLibraryName(tag, library, edits);
  }
  guardLoopControls(tags, source, edits);
  if (escaping === "json") escapeForJson(tags, source, edits);
  if (strict) guardReads(tags, source, edits, (expression) => bridgedExpression(expression, library));
  edits.sort((a, b) => a.start - b.start || Number(b.after ?? false) - Number(a.after ?? false));
  const names = new Set<string>();
  for (const tag of tags) for (const token of tag.tokens) if (token.kind === "name") names.add(token.text);
  return {
    source: applied(source, edits),
    names,
    originalOffset: (offset) => originalOffset(edits, offset),
  };
}

function bridgedExpression(expression: string, library: LibraryNames): string {
  return bridgeJinja(`{{${expression}}}`, library).source.slice(2, -2);
}

function applied(source: string, edits: readonly Edit[]): string {
  let text = "";
  let at = 0;
  for (const edit of edits) {
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at);
}

function originalOffset(edits: readonly Edit[], offset: number): number {
  let shift = 0;
  for (const edit of edits) {
    const start = edit.start + shift;
    if (offset < start) break;
    if (offset < start + edit.text.length) return edit.origin ?? edit.start;
    shift += edit.text.length - (edit.end - edit.start);
  }
  return offset - shift;
}

function bridgeUnpackingSet(tag: Tag, edits: Edit[]): void {
  const [keyword, ...rest] = tag.tokens;
  const equals = rest.findIndex((token) => token.text === "=");
  const first = rest[0];
  const target = rest[equals - 1];
  const value = rest[equals + 1];
  const last = rest.at(-1);
  if (keyword?.text !== "set" || !first || !target || !value || !last) return;
  if (!rest.slice(0, equals).some((token) => token.text === ",") || first.text === "(") return;
  edits.push(
    { start: first.start, end: first.start, text: "(" },
    { start: target.end, end: target.end, text: ")" },
  );
  edits.push(
    { start: value.start, end: value.start, text: "(" },
    { start: last.end, end: last.end, text: ")" },
  );
}

/** Tags that name other templates, and the words that end the name. */
const namingTags = new Set(["include", "import", "from", "extends"]);
const endOfName = new Set(["ignore", "with", "without", "as", "import"]);

function bridgeLibraryName(tag: Tag, library: LibraryNames, edits: Edit[]): void {
  const [keyword, ...rest] = tag.tokens;
  if (!keyword || !namingTags.has(keyword.text)) return;
  const end = rest.findIndex((token) => token.kind === "name" && endOfName.has(token.text));
  const name = end === -1 ? rest : rest.slice(0, end);
  const [first, last] = [name[0], name.at(-1)];
  if (!first || !last) return;
  const isListOfTexts = first.text === "[" && name.every((token) => token.kind !== "name");
  if (isListOfTexts || (name.length === 1 && first.kind === "string")) {
    for (const { kind, start, end } of name) {
      if (kind !== "string") continue;
      edits.push({ start: start + 1, end: start + 1, text: library.before });
      edits.push({ start: end - 1, end: end - 1, text: library.after });
    }
  } else {
    edits.push({ start: first.start, end: first.start, text: `"${library.before}" ~ (` });
    edits.push({ start: last.end, end: last.end, text: `) ~ "${library.after}"` });
  }
}

/** Words that end an operand. */
const operatorWords = new Set(["and", "or", "not", "in", "is", "if", "else", "recursive"]);

/**
 * Argument names of minijinja's own filters that accept them by position only, with the value that fills a gap. All other filters accept
 * named arguments.
 */
const positional: Record<string, readonly (readonly [string, string])[]> = {
  default: [
    ["default_value", "''"],
    ["boolean", "false"],
  ],
  d: [
    ["default_value", "''"],
    ["boolean", "false"],
  ],
  indent: [
    ["width", "4"],
    ["first", "false"],
    ["blank", "false"],
  ],
  join: [["d", "''"]],
  round: [["precision", "0"]],
  batch: [
    ["linecount", "1"],
    ["fill_with", "none"],
  ],
  slice: [
    ["slices", "1"],
    ["fill_with", "none"],
  ],
  int: [["default", "0"]],
  float: [["default", "0.0"]],
};

/** Filters whose `attribute` Jinja2 applies first. */
const takeAttribute = new Set(["sum", "min", "max", "join"]);

interface Argument {
  name?: JinjaToken;
  tokens: JinjaToken[];
}

/** An open bracket and the tokens before it. */
interface Frame {
  opened: JinjaToken;
  /** Start of the operand that the bracket continues (`a.b(`), or the bracket itself if it begins one. */
  operand: number | undefined;
  /** `.name` before a call. */
  method: { dot: JinjaToken; name: JinjaToken } | undefined;
  /** `| name` before a call. */
  filter: { pipe: JinjaToken; name: JinjaToken } | undefined;
  arguments: Argument[];
}

function bridgeExpressions(tag: Tag, source: string, edits: Edit[]): void {
  const frames: Frame[] = [];
  let operand: number | undefined;
  for (const [index, token] of tag.tokens.entries()) {
    const before = tag.tokens[index - 1];
    const further = tag.tokens[index - 2];
    collectArgument(frames.at(-1), token, before);
    if (token.kind !== "operator") {
      if (before?.text === ".") continue;
      if (token.kind === "string" && before?.kind === "string") continue;
      const isKeyword = tag.kind === "block" && index === 0;
      const namesFilterOrTest = before?.text === "|" || before?.text === "is";
      operand = isKeyword || namesFilterOrTest || operatorWords.has(token.text) ? undefined : token.start;
    } else if ("([{".includes(token.text)) {
      const continues = before !== undefined && endsOperand(before) && token.text !== "{";
      frames.push({
        opened: token,
        operand: continues ? operand : token.start,
        method: continues && further?.text === "." ? { dot: further, name: before } : undefined,
        filter: continues && further?.text === "|" ? { pipe: further, name: before } : undefined,
        arguments: [],
      });
      operand = undefined;
    } else if (")]}".includes(token.text)) {
      const frame = frames.pop();
      if (frame) bridgeCall(frame, token, source, edits);
      operand = frame?.operand;
    } else if (token.text !== ".") operand = undefined;
  }
}

function endsOperand(token: JinjaToken): boolean {
  if (token.kind === "operator") return ")]}".includes(token.text);
  return !operatorWords.has(token.text);
}

function collectArgument(frame: Frame | undefined, token: JinjaToken, before: JinjaToken | undefined): void {
  if (!frame || ")]}".includes(token.text)) return;
  if (before === frame.opened || before?.text === ",") frame.arguments.push({ tokens: [] });
  if (token.text === ",") return;
  const argument = frame.arguments.at(-1);
  if (token.text === "=" && argument?.tokens.length === 1 && argument.tokens[0]) {
    argument.name = argument.tokens[0];
    argument.tokens = [];
  } else argument?.tokens.push(token);
}

function bridgeCall(frame: Frame, close: JinjaToken, source: string, edits: Edit[]): void {
  const { method, filter, operand } = frame;
  if (method && operand !== undefined) {
    const [, fallback] = frame.arguments;
    if (method.name.text === "get" && fallback?.tokens[0] && frame.arguments.length === 2) {
      const comma = source.lastIndexOf(",", fallback.tokens[0].start);
      edits.push({ start: operand, end: operand, text: "(" });
      edits.push({ start: method.dot.start, end: frame.opened.end, text: "[" });
      edits.push({ start: comma, end: comma + 1, text: "]|default(" });
      edits.push({ start: close.end, end: close.end, text: ")" });
    } else if (bridgedMethods.has(method.name.text)) {
      edits.push({ start: operand, end: operand, text: "(" });
      edits.push({
        start: method.dot.start,
        end: method.name.end,
        text: `|${bridgedMethods.get(method.name.text)}`,
      });
      edits.push({ start: close.end, end: close.end, text: ")" });
    }
  }
  if (filter) {
    if (takeAttribute.has(filter.name.text)) bridgeAttribute(frame, filter.pipe, source, edits);
    bridgePositional(frame, positional[filter.name.text] ?? [], edits);
  }
}

function bridgeAttribute(frame: Frame, pipe: JinjaToken, source: string, edits: Edit[]): void {
  const index = frame.arguments.findIndex((argument) => argument.name?.text === "attribute");
  const argument = frame.arguments[index];
  const value = argument?.tokens[0];
  if (!argument?.name || !value || argument.tokens.length !== 1) return;
  edits.push({ start: pipe.start, end: pipe.start, text: `|map(attribute=${value.text})` });
  const comma = index > 0 ? source.lastIndexOf(",", argument.name.start) : argument.name.start;
  const after = index === 0 && frame.arguments.length > 1 ? source.indexOf(",", value.end) + 1 : value.end;
  edits.push({ start: comma, end: after, text: "" });
  frame.arguments.splice(index, 1);
}

function bridgePositional(frame: Frame, order: readonly (readonly [string, string])[], edits: Edit[]): void {
  for (const [index, argument] of frame.arguments.entries()) {
    const value = argument.tokens[0];
    const place = order.findIndex(([name]) => name === argument.name?.text);
    if (!argument.name || !value || place < index) continue;
    const gap = order.slice(index, place).map(([, fallback]) => `${fallback}, `);
    edits.push({ start: argument.name.start, end: value.start, text: gap.join("") });
    if (place > index) return; // the following arguments have lost their positions; the engine reports the error
  }
}
