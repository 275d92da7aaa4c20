import { cutText } from "../../../kit/text/cut-text.ts";

/** Characters that end a sentence before a space or the end of the text, and those that end one anywhere. */
const stops = ".!?…";
const fullStops = "。！？";
const closing = "\"'”’»)]」』";
const closingMax = 4;

/** Cuts a text to at most `charsMax` characters: to whole sentences if one fits, else to words, followed by `…`. */
export function cutAtSentence(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const end = endOfSentences(text, charsMax);
  if (end > 0) return text.slice(0, end);
  const room = cutText(text, charsMax - 1);
  const space = room.lastIndexOf(" ");
  return `${(space > room.length / 2 ? room.slice(0, space) : room).trimEnd()}…`;
}

/** End of the last complete sentence within `charsMax`; 0 if there is none. */
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
