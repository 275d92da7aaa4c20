import { cutText } from "../../../kit/cut-text.ts";

/** What ends a sentence where a space or the end follows, and what ends one anywhere. */
const stops = ".!?…";
const fullStops = "。！？";
const closing = "\"'”’»)]」』";
const closingMax = 4;

/**
 * A text of at most `charsMax` characters: its whole sentences as far as they fit, else its words, with `…` where a sentence
 * is cut off.
 */
export function cutAtSentence(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const end = endOfSentences(text, charsMax);
  if (end > 0) return text.slice(0, end);
  const room = cutText(text, charsMax - 1);
  const space = room.lastIndexOf(" ");
  return `${(space > room.length / 2 ? room.slice(0, space) : room).trimEnd()}…`;
}

/** Where the last sentence ends that is whole within `charsMax`; 0: none is. */
function endOfSentences(text: string, charsMax: number): number {
  for (let end = charsMax; end > 0; end--) {
    let last = end - 1;
    while (last > 0 && end - last <= closingMax && closing.includes(text.charAt(last))) last--;
    const stop = text.charAt(last);
    if (fullStops.includes(stop)) return end;
    if (!stops.includes(stop)) continue;
    const next = text.charAt(end);
    if (next === "" || next === " " || next === "\n") return end;
  }
  return 0;
}
