import { tokenQuarters } from "../../models/token-count.ts";

/**
 * Splits a text into parts of at most `tokensMax` estimated tokens. Each part is as long as possible and ends at a paragraph, line,
 * sentence or word if that uses more than half of the room. Undefined if there would be more than `partsMax` parts. The joined parts equal
 * the text.
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

/** Preferred ends of a part, best first. */
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

/** Counts in blocks, then by character, so that every character is read a bounded number of times. */
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
