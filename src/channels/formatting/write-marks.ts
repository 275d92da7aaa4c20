import type { FormattedText, PlacedSpan } from "./formatted-text.ts";

/** Mark that is inserted before and after a part of the text. */
interface Mark {
  start: number;
  end: number;
  open: string;
  close: string;
}

/** Inserts marks that nest; outer ones come first. Each character passes through `escapeText`. */
function withMarks(text: string, marks: readonly Mark[], escapeText: (text: string) => string): string {
  const open: Mark[] = [];
  let written = "";
  let at = 0;
  const writeUntil = (end: number) => {
    for (let last = open.at(-1); last !== undefined && last.end <= end; last = open.at(-1)) {
      written += escapeText(text.slice(at, last.end)) + last.close;
      at = last.end;
      open.pop();
    }
    written += escapeText(text.slice(at, end));
    at = end;
  };
  const sorted = marks.toSorted((a, b) => a.start - b.start || b.end - a.end);
  for (const mark of sorted) {
    writeUntil(mark.start);
    written += mark.open;
    open.push(mark);
  }
  writeUntil(text.length);
  return written;
}

/** Returns the spans that a channel can mark: none inside code, and none inside one of its own kind. */
function markable({ spans }: FormattedText): PlacedSpan[] {
  const around: PlacedSpan[] = [];
  return spans.filter((span) => {
    for (let last = around.at(-1); last !== undefined && last.end <= span.start; last = around.at(-1))
      around.pop();
    const isMarked = !around.some(({ kind }) => kind === span.kind || kind === "code" || kind === "block");
    if (isMarked) around.push(span);
    return isMarked;
  });
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);

/** Writes Telegram's HTML. */
export const writeHtml = (formatted: FormattedText): string =>
  withMarks(
    formatted.text,
    markable(formatted).map((span) => ({ ...span, ...tagsOf(span) })),
    escapeHtml,
  );

function tagsOf({ kind, href = "", language }: PlacedSpan): Pick<Mark, "open" | "close"> {
  switch (kind) {
    case "strong":
      return { open: "<b>", close: "</b>" };
    case "emphasis":
      return { open: "<i>", close: "</i>" };
    case "strike":
      return { open: "<s>", close: "</s>" };
    case "code":
      return { open: "<code>", close: "</code>" };
    case "quote":
      return { open: "<blockquote>", close: "</blockquote>" };
    case "link":
      return { open: `<a href="${escapeHtml(href)}">`, close: "</a>" };
    case "block":
      return language === undefined
        ? { open: "<pre>", close: "</pre>" }
        : { open: `<pre><code class="language-${escapeHtml(language)}">`, close: "</code></pre>" };
  }
}

const signs: Readonly<Partial<Record<PlacedSpan["kind"], string>>> = {
  strong: "*",
  emphasis: "_",
  strike: "~",
  code: "`",
  block: "```",
};

/**
 * Writes WhatsApp's marks. WhatsApp shows a mark as it stands where it follows or precedes a letter or a space, or where its line ends, so
 * marks are set around the words of each line, and left out where they would be seen.
 */
export function writeWhatsApp(formatted: FormattedText): string {
  const { text } = formatted;
  const marks = markable(formatted).flatMap((span): Mark[] => {
    const sign = signs[span.kind];
    if (sign === undefined) return [];
    const pieces = span.kind === "block" ? [span] : linesOf(text, span);
    return pieces
      .filter(({ start, end }) => isShown(text, start, end, sign))
      .map(({ start, end }) => ({ start, end, open: sign, close: sign }));
  });
  return withMarks(text, marks, (part) => part);
}

/** The part of a span on each line, without the spaces around it. */
function linesOf(text: string, { start, end }: PlacedSpan): { start: number; end: number }[] {
  let at = start;
  return text
    .slice(start, end)
    .split("\n")
    .flatMap((line) => {
      const first = at + (line.length - line.trimStart().length);
      const last = at + line.trimEnd().length;
      at += line.length + 1;
      return first < last ? [{ start: first, end: last }] : [];
    });
}

const isWordCharacter = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

function isShown(text: string, start: number, end: number, sign: string): boolean {
  if (text.slice(start, end).includes(sign)) return false;
  const before = [...text.slice(Math.max(0, start - 2), start)].at(-1);
  const [after] = text.slice(end, end + 2);
  return !isWordCharacter(before) && !isWordCharacter(after);
}
