import type { Edit, JinjaToken, Tag } from "./jinja-tags.ts";

/**
 * Makes a template that writes JSON safe against its data. A `{{ … }}` inside a JSON string is escaped for the string; outside it is
 * written as a JSON value, unless it comes from the template itself (`{{ "," if not loop.last }}`) or from `tojson`. So data can't add keys
 * or elements.
 */
export function escapeForJson(tags: readonly Tag[], source: string, edits: Edit[]): void {
  const own: OwnNames = { values: new Set(ownValues), macros: new Set(["caller"]) };
  let inString = false;
  let at = 0;
  for (const tag of tags) {
    inString = endsInString(source.slice(at, tag.start), inString);
    at = tag.end;
    if (tag.kind === "block") {
      learnOwnNames(tag.tokens, own);
      continue;
    }
    const [first, last] = [tag.tokens[0], tag.tokens.at(-1)];
    if (!first || !last || isJson(tag.tokens)) continue;
    const filter = inString ? "_json_text" : isOwn(tag.tokens, own) ? "_json_own" : "_json_value";
    edits.push({ start: first.start, end: first.start, text: "(" });
    edits.push({ start: last.end, end: last.end, text: `)|${filter}` });
  }
}

/** Names whose value can only be the template's own text. The output of a macro has been escaped in its body. */
interface OwnNames {
  values: Set<string>;
  macros: Set<string>;
}

const ownValues = ["loop", "joiner", "cycler", "namespace", "true", "false", "none", "True", "False", "None"];

function endsInString(text: string, began: boolean): boolean {
  let inString = began;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') inString = !inString;
    else if (inString && text[at] === "\\") at++;
  }
  return inString;
}

function learnOwnNames(tokens: readonly JinjaToken[], own: OwnNames): void {
  const [keyword, name, equals] = tokens;
  if (name?.kind !== "name") return;
  if (keyword?.text === "macro") own.macros.add(name.text);
  else if (keyword?.text === "set") {
    // `set x` without a value captures a block, whose prints are escaped inside it.
    if (equals === undefined || (equals.text === "=" && isOwn(tokens.slice(3), own)))
      own.values.add(name.text);
    else own.values.delete(name.text);
  } else if (keyword?.text === "for" || keyword?.text === "with") {
    for (const token of tokens) own.values.delete(token.text === "loop" ? "" : token.text);
  }
}

/** Returns true if the value can only be text of the template: data may occur in conditions, but not in results. */
function isOwn(tokens: readonly JinjaToken[], own: OwnNames): boolean {
  let inCondition = false;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.text === "if") inCondition = true;
    else if (token?.text === "else") inCondition = false;
    else if (token?.kind === "name" && !inCondition) {
      const before = tokens[index - 1]?.text;
      if (before === "." || before === "|") continue;
      if (own.macros.has(token.text) && tokens[index + 1]?.text === "(") index = closing(tokens, index + 1);
      else if (!own.values.has(token.text)) return false;
    }
  }
  return true;
}

/** Returns true if the value is JSON already: the output of `tojson`, or of `map("tojson")` joined with a constant. */
function isJson(tokens: readonly JinjaToken[]): boolean {
  const filters: { name: string; given: readonly JinjaToken[] }[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token && "([{".includes(token.text)) index = closing(tokens, index);
    else if (token?.text === "|") {
      const opens = tokens[index + 2]?.text === "(";
      const end = opens ? closing(tokens, index + 2) : index + 1;
      filters.push({ name: tokens[index + 1]?.text ?? "", given: opens ? tokens.slice(index + 3, end) : [] });
      index = end;
    } else if (filters.length > 0) return false; // the filtered value is processed further
  }
  const [before, last] = filters.slice(-2);
  if (filters.at(-1)?.name === "tojson") return true;
  const maps =
    before?.name === "map" && before.given.length === 1 && /^.tojson.$/.test(before.given[0]?.text ?? "");
  return maps && last?.name === "join" && last.given.every(({ kind }) => kind === "string");
}

/** Index of the bracket that closes the one at `index`. */
function closing(tokens: readonly JinjaToken[], index: number): number {
  let depth = 0;
  for (let at = index; at < tokens.length; at++) {
    const { text = "" } = tokens[at] ?? {};
    if ("([{".includes(text)) depth++;
    else if (")]}".includes(text) && --depth === 0) return at;
  }
  return tokens.length;
}
