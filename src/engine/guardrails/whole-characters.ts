/** Rejoins pieces of a text that were cut inside a surrogate pair. */
export interface WholeCharacters {
  /** The piece, preceded by the half from the piece before, without a half at its own end. */
  join(piece: string): string;
  /** The text is complete: returns the remaining half. */
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
