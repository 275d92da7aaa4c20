import { tokenQuarters } from "../../models/token-count.ts";

/**
 * A text in parts of at most `tokensMax` tokens as we count them, each as long as can be, ended where a paragraph, a line, a
 * sentence or at least a word ends, if that leaves more than half of the room used. Undefined when there would be more than
 * `partsMax`. Joined, the parts are the text.
 */
export function textParts(text: string, tokensMax: number, partsMax: number): string[] | undefined {
  const parts: string[] = [];
  let from = 0;
  while (from < text.length) {
    if (parts.length === partsMax) return undefined;
    const end = endOfPart(text, from, tokensMax);
    parts.push(text.slice(from, end));
    from = end;
  }
  return parts;
}

/** What a part ends with, the best first. */
const endings = ["\n\n", "\n", ". ", "。", " "];

function endOfPart(text: string, from: number, tokensMax: number): number {
  const furthest = furthestEnd(text, from, tokensMax);
  if (furthest === text.length) return furthest;
  const room = text.slice(from, furthest);
  for (const ending of endings) {
    const at = room.lastIndexOf(ending);
    if (at > room.length / 2) return from + at + ending.length;
  }
  const last = text.charCodeAt(furthest - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf && furthest - 1 > from ? furthest - 1 : furthest;
}

/** Counted in blocks, then character by character: every character is looked at a bounded number of times. */
function furthestEnd(text: string, from: number, tokensMax: number): number {
  const blockChars = 64;
  let left = 4 * tokensMax;
  let at = from;
  for (;;) {
    const block = text.slice(at, at + blockChars);
    const quarters = tokenQuarters(block);
    if (block === "" || quarters > left) break;
    left -= quarters;
    at += block.length;
  }
  while (at < text.length) {
    left -= tokenQuarters(text.slice(at, at + 1));
    if (left < 0) break;
    at++;
  }
  return Math.max(at, from + 1);
}
