import { AppError } from "../../kit/app-error.ts";
import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../kit/json/strict-json.ts";

/** The JSON of an answer, or why there is none. */
export type FoundJson = { value: unknown } | { fault: string };

/** Maximum characters of a result's data. */
const jsonCharsMax = 1024 * 1024;
/** Maximum blocks tried, from the last one back. */
const blocksMax = 64;

/**
 * The value of the whole answer if it is JSON, else of the last fenced block that is. JSON is read as strictly as request bodies, because
 * it is returned in our answers: ambiguous JSON is refused.
 */
export function* findJson(answer: string): Work<FoundJson> {
  const whole = yield* read(answer);
  if (whole && "value" in whole) return whole;
  let fault: FoundJson | undefined;
  for (const { body, behindFence } of (yield* fencedBlocks(answer)).slice(-blocksMax).reverse()) {
    for (const text of [body, behindFence, `${behindFence}\n${body}`]) {
      const reading = yield* read(text);
      if (reading && "value" in reading) return reading;
      fault ??= reading;
    }
  }
  return (
    fault ??
    whole ?? { fault: "The answer holds no JSON: neither a fenced block of it nor the answer as a whole." }
  );
}

/** Undefined for a text that was never meant as JSON: of what can't be read, that is all but objects and lists. */
function* read(text: string): Work<FoundJson | undefined> {
  const json = text.trim();
  if (!/^(?:[[{"]|-?[0-9]|true|false|null)/.test(json)) return undefined;
  if (json.length > jsonCharsMax) return { fault: "The JSON in the answer is longer than 1 MiB." };
  try {
    return { value: yield* readStrictJson(json) };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    if (!/^[[{]/.test(json)) return undefined;
    return { fault: `The JSON in the answer can't be read: ${thrown.message}` };
  }
}

const stepsPerLine = 20;
const stepsPerCharacter = 1;

/** Contents of a block: the lines below its opening fence, and the text after that fence on the same line. */
export interface FencedBlock {
  body: string;
  /** Rest of the opening line without the language; often empty. */
  behindFence: string;
}

interface Fence {
  mark: string;
  count: number;
  /** True if only white space precedes it on its line. */
  isFirst: boolean;
  /** Rest of the line, trimmed. */
  rest: string;
}

/**
 * The fenced blocks of a text in order, as in Markdown and as models write them: opened after text on the line, closed after the last line
 * or on the same line, reopened without being closed, or never closed. The characters that end a block here can't occur in JSON, where no
 * line begins or ends with a fence. One pass; blocks don't overlap.
 */
export function* fencedBlocks(text: string): Work<FencedBlock[]> {
  const blocks: FencedBlock[] = [];
  let open: (Fence & { bodyAt: number }) | undefined;
  const close = (end: number) => {
    if (open) blocks.push({ body: text.slice(open.bodyAt, end), behindFence: withoutLanguage(open.rest) });
    open = undefined;
  };
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf("\n", start);
    const next = feed === -1 ? text.length : feed + 1;
    const line = text.slice(start, next).trimEnd();
    const fence = fenceIn(line);
    if (open && fence?.isFirst && fence.rest !== "") close(start);
    if (open) {
      const runAt = trailingRun(line, open);
      if (runAt !== undefined) close(start + runAt);
    } else if (fence) {
      const inLine = closedInLine(fence);
      if (inLine !== undefined) blocks.push({ body: "", behindFence: withoutLanguage(inLine) });
      else if (fence.isFirst || /^[\w+.-]+$/.test(fence.rest) || /^[[{]/.test(withoutLanguage(fence.rest)))
        open = { ...fence, bodyAt: next };
    }
    if (countSteps(stepsPerLine + (next - start) * stepsPerCharacter)) yield;
    start = next;
  }
  close(text.length);
  return blocks;
}

/** The first fence in a line: three or more backticks anywhere, or tildes at the beginning. */
function fenceIn(line: string): Fence | undefined {
  const indent = line.length - line.trimStart().length;
  const isTilde = line.startsWith("~~~", indent);
  const at = isTilde ? indent : line.indexOf("```");
  if (at === -1) return undefined;
  const mark = isTilde ? "~" : "`";
  let end = at;
  while (line[end] === mark) end++;
  return { mark, count: end - at, isFirst: at === indent, rest: line.slice(end).trim() };
}

/** Start of the fence at the end of a line, if it closes a block with the given fence. */
function trailingRun(line: string, { mark, count }: Pick<Fence, "mark" | "count">): number | undefined {
  let at = line.length;
  while (at > 0 && line[at - 1] === mark) at--;
  return line.length - at >= count ? at : undefined;
}

/** Text between an opening fence and the last fence on the same line that closes it. */
function closedInLine({ mark, count, rest }: Fence): string | undefined {
  // Longer fences don't occur within a line, and a search would cost their length at each position.
  const at = mark === "`" && count <= 8 ? rest.lastIndexOf(mark.repeat(count)) : -1;
  return at === -1 ? undefined : rest.slice(0, at);
}

function withoutLanguage(rest: string): string {
  return rest.replace(/^[\w+.-]+(?=\s|[[{]|$)/, "").trim();
}
