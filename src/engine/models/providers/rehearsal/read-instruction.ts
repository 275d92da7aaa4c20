import { isRecord } from "../../../../kit/json/is-record.ts";
import { parseJson } from "../../../../kit/json/parse-json.ts";

/** The parts of a message that ends with an instruction. */
export interface Instruction {
  /** The user's text. */
  request: string;
  /** The part of the request to work on; absent: all of it. */
  task: string | undefined;
  /** Results so far. */
  results: string[];
  /** Key of the requested JSON list. */
  listKey: string | undefined;
  /** True if tools may be used. */
  usesTools: boolean;
}

/**
 * Parses the instruction in `<instruction>` marks at the end of a message by its form: a JSON list in the last line shows the expected
 * answer; `<task>` and `<result>` contain the task and the results. Undefined for a message without an instruction.
 */
export function readInstruction(message: string): Instruction | undefined {
  const open = message.indexOf("\n\n<instruction>\n");
  if (open === -1 || !message.endsWith("\n</instruction>")) return undefined;
  const text = message.slice(open, message.length - "\n</instruction>".length);
  // Removed first, because a result that mentions tools is not an instruction.
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

/** The contents of all marks of that name, and the text without them. */
function takeMarked(text: string, name: string): { found: string[]; rest: string } {
  const instructions: string[] = [];
  let rest = "";
  for (let at = 0; ; ) {
    const start = text.indexOf(`\n<${name}`, at);
    const open = start === -1 ? -1 : text.indexOf(">\n", start);
    const end = open === -1 ? -1 : text.indexOf(`\n</${name}>`, open + 1);
    if (end === -1) return { found: instructions, rest: rest + text.slice(at) };
    instructions.push(text.slice(open + 2, Math.max(open + 2, end)));
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
