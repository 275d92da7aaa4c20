import type { Edit, Tag } from "./jinja-tags.ts";

/** A block that is open while the tags are processed. */
interface Block {
  keyword: string;
  tag: Tag;
  /** Guards opened in the block's current part. */
  guards: number;
  /** For a loop: name of its flags, once it contains a loop control. */
  flags?: string;
  /** Flags of the loop whose round a control inside this block ends. */
  interrupts?: string;
}

const opening = new Set(["for", "if", "with", "filter", "call", "macro", "block", "autoescape"]);

/**
 * Replaces `break` and `continue` by minijinja constructs. They set a flag of their loop, the rest of the loop's body is inside a guard
 * that tests it, and after `break` the remaining rounds do nothing. Recursive loops are not changed, because their rounds would share the
 * flags.
 */
export function guardLoopControls(tags: readonly Tag[], source: string, edits: Edit[]): void {
  if (!tags.some(isLoopControl)) return;
  const open: Block[] = [];
  for (const tag of tags) {
    const keyword = tag.kind === "block" ? (tag.tokens[0]?.text ?? "") : "";
    const block = open.at(-1);
    if (isLoopControl(tag)) {
      endRound(tag, open, source, edits);
    } else if (
      opening.has(keyword) ||
      (keyword === "set" && !tag.tokens.some((token) => token.text === "="))
    ) {
      open.push({ keyword, tag, guards: 0 });
    } else if (block && (keyword === "elif" || keyword === "else")) {
      closeGuards(block, tag, source, edits);
      if (block.keyword === "for") finishLoop(block, source, edits);
    } else if (block && keyword === `end${block.keyword}`) {
      closeGuards(block, tag, source, edits);
      if (block.keyword === "for") finishLoop(block, source, edits);
      open.pop();
      const parent = open.at(-1);
      if (parent && block.interrupts) openGuard(parent, tag, block.interrupts, source, edits);
    }
  }
}

function isLoopControl(tag: Tag): boolean {
  const keyword = tag.tokens[0]?.text;
  return tag.kind === "block" && tag.tokens.length === 1 && (keyword === "break" || keyword === "continue");
}

function endRound(tag: Tag, open: readonly Block[], source: string, edits: Edit[]): void {
  const depth = open.findLastIndex(({ keyword }) => ["for", "macro", "call"].includes(keyword));
  const loop = open[depth];
  const block = open.at(-1);
  const recursive = loop?.tag.tokens.at(-1)?.text === "recursive";
  if (loop?.keyword !== "for" || !block || recursive) return;
  loop.flags ??= `_loop${loop.tag.start}`;
  for (const inner of open.slice(depth + 1)) inner.interrupts = loop.flags;
  const left = tag.tokens[0]?.text === "break" ? `{% set ${loop.flags}.left = true %}` : "";
  const skip = `{%${startSign(tag, source)} set ${loop.flags}.skip = true %}`;
  edits.push({ start: tag.start, end: tag.end, text: skip + left });
  openGuard(block, tag, loop.flags, source, edits);
}

/** Lets the code after `tag` in `block` run only if the round continues. */
function openGuard(block: Block, tag: Tag, flags: string, source: string, edits: Edit[]): void {
  block.guards++;
  if (block.keyword !== "for") block.interrupts ??= flags;
  const text = `{% if not ${flags}.skip ${endSign(tag, source)}%}`;
  edits.push({ start: tag.end, end: tag.end, text, after: true });
}

function closeGuards(block: Block, tag: Tag, source: string, edits: Edit[]): void {
  const ends = block.guards + (block.flags ? 1 : 0);
  if (ends)
    edits.push({
      start: tag.start,
      end: tag.start,
      text: `{%${startSign(tag, source)} endif %}`.repeat(ends),
    });
  block.guards = 0;
}

function finishLoop(loop: Block, source: string, edits: Edit[]): void {
  if (!loop.flags) return;
  const { tag, flags } = loop;
  const declared = `{%${startSign(tag, source)} set ${flags} = namespace(left=false, skip=false) %}`;
  const round = `{% if not ${flags}.left %}{% set ${flags}.skip = false ${endSign(tag, source)}%}`;
  edits.push({ start: tag.start, end: tag.start, text: declared });
  edits.push({ start: tag.end, end: tag.end, text: round, after: true });
  delete loop.flags;
}

// Whitespace control belongs to the outer edge of the replacement of a tag.
function startSign(tag: Tag, source: string): string {
  const sign = source[tag.start + 2];
  return sign === "-" || sign === "+" ? sign : "";
}

function endSign(tag: Tag, source: string): string {
  const sign = source[tag.end - 3];
  return sign === "-" || sign === "+" ? sign : "";
}
