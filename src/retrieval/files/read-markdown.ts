import { readForeignYaml } from "../../manifest/yaml/read-yaml.ts";
import type { ReadDocument } from "./document-file.ts";
import { placesOf } from "./read-text.ts";

const frontMatterCharsMax = 65_536;
const titleCharsMax = 500;

/**
 * Returns Markdown unchanged, except that front matter with valid YAML becomes metadata. The title is its `title`, or the first heading
 * after the front matter, also if that can't be read.
 */
export function readMarkdown(source: string): ReadDocument {
  const { metadata, text, body = text } = splitFrontMatter(source);
  const named = metadata.title;
  const headings = headingsOf(body);
  const title = typeof named === "string" && named.trim() !== "" ? named.trim() : headings[0]?.text;
  const from = text.length - body.length;
  const places = placesOf(
    text,
    headings.map((heading) => ({ ...heading, start: heading.start + from })),
  );
  return {
    text,
    metadata,
    ...(title !== undefined && { title: title.slice(0, titleCharsMax) }),
    ...(places.length > 0 && { places }),
  };
}

interface Split {
  metadata: Record<string, unknown>;
  text: string;
  /** The text without front matter that can't be read and therefore stays in the text. */
  body?: string;
}

function splitFrontMatter(source: string): Split {
  const whole = { metadata: {}, text: source };
  if (!source.startsWith("---\n")) return whole;
  const end = source.slice(0, frontMatterCharsMax).search(/\n(?:---|\.\.\.)[ \t]{0,8}(?:\n|$)/);
  if (end === -1) return whole;
  const metadata = readForeignYaml(source.slice(4, end + 1));
  // Text between two rules, not front matter.
  if (metadata === "not_a_mapping") return whole;
  const lineEnd = source.indexOf("\n", end + 1);
  const body = lineEnd === -1 ? "" : source.slice(lineEnd + 1);
  return metadata === "unreadable" ? { ...whole, body } : { metadata, text: body };
}

/** The headings outside of fenced blocks: `# Title`, or a line underlined with `=` or `-`. */
function headingsOf(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  let before = { text: "", start: 0 };
  for (const { line, start } of linesOf(text)) {
    const mark = fenceOf(line);
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      before = { text: "", start };
      continue;
    }
    const own = headingOf(line);
    if (own !== undefined && own !== "") headings.push({ start, text: own });
    else if (isUnderline(line) && before.text !== "") headings.push(before);
    if (headings.length >= headingsMax) break;
    before = { text: own !== undefined || line.startsWith("    ") ? "" : line.trim(), start };
  }
  return headings;
}

interface Heading {
  /** Start of its line. */
  start: number;
  text: string;
}

const headingsMax = 10_000;

function* linesOf(text: string): Generator<{ line: string; start: number }> {
  for (let start = 0; start <= text.length; ) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    // Longer lines are irrelevant here.
    yield { line: text.slice(start, Math.min(end, start + 4 * titleCharsMax)), start };
    start = end + 1;
  }
}

/** The marks that open or close a fenced block. */
function fenceOf(line: string): string | undefined {
  return /^ {0,3}(`{3,2000}|~{3,2000})/.exec(line)?.[1];
}

function headingOf(line: string): string | undefined {
  const indent = line.length - line.trimStart().length;
  let level = 0;
  while (line[indent + level] === "#") level++;
  if (indent > 3 || level === 0 || level > 6) return undefined;
  const next = line[indent + level];
  if (next !== undefined && next !== " " && next !== "\t") return undefined;
  const content = line.slice(indent + level).trim();
  let end = content.length;
  while (content[end - 1] === "#") end--;
  // Closing marks must be separated from the text by a space.
  return end === 0 || content[end - 1] === " " ? content.slice(0, end).trim() : content;
}

function isUnderline(line: string): boolean {
  const marks = line.trim();
  const first = marks[0];
  return (first === "=" || first === "-") && !line.startsWith("    ") && marks === first.repeat(marks.length);
}
