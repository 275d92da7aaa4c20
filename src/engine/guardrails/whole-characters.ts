/** Puts pieces of a text together again where they were cut through a character that two UTF-16 units make. */
export interface WholeCharacters {
  /** The piece with the half that came before it, and without a half at its own end. */
  join(piece: string): string;
  /** The text is complete: the half that nothing came for. */
  rest(): string;
}

export function wholeCharacters(): WholeCharacters {
  let half = "";
  return {
    join(piece) {
      if (piece === "") return "";
      const last = piece.charCodeAt(piece.length - 1);
      const isCut = last >= 0xd800 && last <= 0xdbff;
      if (half === "" && !isCut) return piece;
      const text = half + piece;
      half = isCut ? text.slice(-1) : "";
      return isCut ? text.slice(0, -1) : text;
    },
    rest() {
      const text = half;
      half = "";
      return text;
    },
  };
}
