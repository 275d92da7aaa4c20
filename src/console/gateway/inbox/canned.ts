import type { CannedReply } from "../../../contracts/gateway/desk.ts";

/** A slash and the beginning of a name, before the caret. */
export interface SlashWord {
  /** Place of the slash. */
  at: number;
  /** Text between the slash and the caret. */
  part: string;
}

/** Returns the slash word before the caret: at the beginning of the text or after white space. */
export function slashWord(text: string, caret: number): SlashWord | undefined {
  const found = /(?:^|\s)\/([^\n/]{0,50})$/.exec(text.slice(0, caret));
  if (found === null) return undefined;
  const part = found[1] ?? "";
  return { at: caret - part.length - 1, part };
}

/** Returns the replies whose name, or else whose text, has the part, in any case; names that begin with it come first. */
export function matchingReplies(replies: readonly CannedReply[], part: string): CannedReply[] {
  const wanted = part.trim().toLowerCase();
  const rank = ({ name, text }: CannedReply) => {
    const at = name.toLowerCase().indexOf(wanted);
    if (at === 0) return 0;
    if (at > 0) return 1;
    return text.toLowerCase().includes(wanted) ? 2 : 3;
  };
  return replies
    .map((reply) => ({ reply, rank: rank(reply) }))
    .filter((one) => one.rank < 3)
    .sort((a, b) => a.rank - b.rank || a.reply.name.localeCompare(b.reply.name))
    .map(({ reply }) => reply);
}

/** Returns the text with a reply in the place of the slash word, and the caret behind it. */
export function insertReply(
  text: string,
  { at, part }: SlashWord,
  filled: string,
): { text: string; caret: number } {
  return {
    text: text.slice(0, at) + filled + text.slice(at + 1 + part.length),
    caret: at + filled.length,
  };
}
