import { isRecord, parseJson } from "../wire/json.ts";

/** What a message asks for beyond the user's own words. */
export interface Instruction {
  /** What the user said. */
  request: string;
  /** The part of it that is to be done; absent: all of it. */
  task: string | undefined;
  /** What was found so far. */
  results: string[];
  /** The key of the JSON list that is asked for. */
  listKey: string | undefined;
  /** Whether tools may be used for it. */
  usesTools: boolean;
}

/**
 * The instruction that ends a message between `<instruction>` marks, read by its form: a last line of JSON with one list shows
 * the answer that is wanted, `<task>` and `<result>` hold what they say. Undefined for a message without one.
 */
export function readInstruction(message: string): Instruction | undefined {
  const open = message.indexOf("\n\n<instruction>\n");
  if (open === -1 || !message.endsWith("\n</instruction>")) return undefined;
  const text = message.slice(open, message.length - "\n</instruction>".length);
  // What a result says of tools is no instruction.
  const { found: results, rest } = takeMarked(text, "result");
  const { found: tasks } = takeMarked(rest, "task");
  return {
    request: message.slice(0, open),
    task: tasks[0],
    results,
    listKey: listKeyOf(rest.slice(rest.lastIndexOf("\n") + 1)),
    usesTools: /\btools?\b/i.test(rest),
  };
}

/** What stands between the marks of that name, each time, and the text without it. */
function takeMarked(text: string, name: string): { found: string[]; rest: string } {
  const found: string[] = [];
  let rest = "";
  for (let at = 0; ; ) {
    const start = text.indexOf(`\n<${name}`, at);
    const open = start === -1 ? -1 : text.indexOf(">\n", start);
    const end = open === -1 ? -1 : text.indexOf(`\n</${name}>`, open + 1);
    if (end === -1) return { found, rest: rest + text.slice(at) };
    found.push(text.slice(open + 2, Math.max(open + 2, end)));
    rest += text.slice(at, start);
    at = end + `\n</${name}>`.length;
  }
}

function listKeyOf(line: string): string | undefined {
  const value = parseJson(line);
  if (!isRecord(value)) return undefined;
  const [[key, list] = [], ...others] = Object.entries(value);
  return Array.isArray(list) && others.length === 0 ? key : undefined;
}
