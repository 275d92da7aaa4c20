/** A token inside a tag; offsets are positions in the template's source. */
export interface JinjaToken {
  kind: "name" | "string" | "number" | "operator";
  text: string;
  start: number;
  end: number;
}

/** One `{{ … }}` or `{% … %}`. `start` and `end` enclose the whole tag, including marks and signs. */
export interface Tag {
  kind: "print" | "block";
  start: number;
  end: number;
  tokens: JinjaToken[];
}

/** The tags of a template in order, without comments and raw blocks. Stops at the first syntax error, which the engine reports. */
export function jinjaTags(source: string): Tag[] {
  const tags: Tag[] = [];
  let at = source.indexOf("{");
  while (at !== -1) {
    const mark = source[at + 1];
    let next = at + 1;
    if (mark === "#") {
      const close = source.indexOf("#}", at + 2);
      if (close === -1) return tags;
      next = close + 2;
    } else if (mark === "{" || mark === "%") {
      const tag = readTag(source, at);
      if (!tag) return tags;
      next = tag.end;
      if (tag.kind === "block" && tag.tokens[0]?.text === "raw") next = endOfRaw(source, next);
      else tags.push(tag);
    }
    at = source.indexOf("{", next);
  }
  return tags;
}

function endOfRaw(source: string, from: number): number {
  const end = /\{%[-+]?\s*endraw\s*[-+]?%\}/g;
  end.lastIndex = from;
  return end.exec(source) ? end.lastIndex : source.length;
}

function readTag(source: string, start: number): Tag | undefined {
  const kind = source[start + 1] === "%" ? "block" : "print";
  const close = kind === "block" ? "%}" : "}}";
  const tokens: JinjaToken[] = [];
  let open = 0;
  let at = start + 2;
  if (source[at] === "-" || source[at] === "+") at++;
  while (at < source.length) {
    const character = source[at] ?? "";
    if (character <= " ") {
      at++;
      continue;
    }
    if (open === 0) {
      const signed = character === "-" || character === "+" ? 1 : 0;
      if (source.startsWith(close, at + signed)) return { kind, start, end: at + signed + 2, tokens };
    }
    const token = readToken(source, at);
    if (!token) return undefined;
    if ("([{".includes(token.text)) open++;
    else if (")]}".includes(token.text)) open--;
    tokens.push(token);
    at = token.end;
  }
  return undefined;
}

const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function readToken(source: string, start: number): JinjaToken | undefined {
  const first = source[start] ?? "";
  if (first === "'" || first === '"') {
    for (let at = start + 1; at < source.length; at++) {
      if (source[at] === "\\") at++;
      else if (source[at] === first) return token("string", source, start, at + 1);
    }
    return undefined;
  }
  for (const [kind, pattern] of [
    ["name", NAME],
    ["number", NUMBER],
  ] as const) {
    pattern.lastIndex = start;
    if (pattern.test(source)) return token(kind, source, start, pattern.lastIndex);
  }
  return token("operator", source, start, start + 1);
}

function token(kind: JinjaToken["kind"], source: string, start: number, end: number): JinjaToken {
  return { kind, text: source.slice(start, end), start, end };
}

/** Replaces `[start, end)` of the source. Edits at the same position apply in the order in which they were made, `after` ones first. */
export interface Edit {
  start: number;
  end: number;
  text: string;
  /** The edit belongs to the tag that ends here, not to the one that begins here. */
  after?: true;
  /** Position in the source that the inserted text refers to; default: `start`. */
  origin?: number;
}
