import { normalized } from "../../../kit/text/normalize.ts";
/** A word, a run of white space (as one space), or another single character, folded for comparison. */
export interface Token {
  text: string;
  start: number;
  end: number;
}

export interface TokenReader {
  read(piece: string): void;
  /** The text is complete. */
  end(): void;
  /** Number of UTF-16 units read. */
  readonly position: number;
  /** The part read so far of a token that may continue. */
  partial(): Token | undefined;
}

export interface TokenOptions {
  /** Removes accents, so that `é` becomes `e`. Vowel signs of scripts that need them are kept. */
  dropAccents: boolean;
}

/** Longer runs are not words; their tokens match nothing. */
const wordLengthMax = 128;

type Kind = "word" | "single" | "space" | "mark" | "ignored";

/**
 * Splits a text into tokens and passes each on as soon as it is complete. In scripts without spaces between words, every character is a
 * token. Ignores invisible characters (zero width, soft hyphens). Linear.
 */
export function createTokenReader({ dropAccents }: TokenOptions, tell: (token: Token) => void): TokenReader {
  let position = 0;
  let raw = "";
  let kind: Kind | undefined;
  let start = 0;
  let end = 0;

  const complete = () => {
    if (kind !== undefined) tell({ text: folded(raw, dropAccents), start, end });
    kind = undefined;
    raw = "";
  };

  return {
    read(piece) {
      for (let at = 0; at < piece.length; ) {
        const code = piece.codePointAt(at) ?? 0;
        const length = code > 0xffff ? 2 : 1;
        const next = kindOf(code);
        if (next === "ignored") {
          if (kind !== undefined && kind !== "space") end = position + length;
        } else {
          const goesOn =
            kind !== undefined && (next === "mark" ? kind !== "space" : next !== "single" && next === kind);
          if (!goesOn) {
            complete();
            kind = next === "mark" ? "word" : next;
            start = position;
          }
          if (raw.length <= wordLengthMax && (kind !== "space" || raw === ""))
            raw += piece.slice(at, at + length);
          end = position + length;
        }
        position += length;
        at += length;
      }
    },
    end: complete,
    get position() {
      return position;
    },
    partial: () => (kind === undefined ? undefined : { text: folded(raw, dropAccents), start, end }),
  };
}

/** Tokens of a complete text. */
export function tokensOf(text: string, options: TokenOptions): Token[] {
  const tokens: Token[] = [];
  const reader = createTokenReader(options, (token) => tokens.push(token));
  reader.read(text);
  reader.end();
  return tokens;
}

/** Scripts without spaces between words, and Hangul, where particles directly follow the noun. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u;

function kindOf(code: number): Kind {
  if (code < 0x80) return asciiKinds[code] ?? "single";
  const character = String.fromCodePoint(code);
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return "ignored";
  if (/\p{M}/u.test(character)) return "mark";
  if (/\s/.test(character)) return "space";
  if (!/[\p{L}\p{N}]/u.test(character)) return "single";
  return unspaced.test(character) ? "single" : "word";
}

const asciiKinds: readonly Kind[] = Array.from({ length: 0x80 }, (_, code): Kind => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return "space";
  return /[A-Za-z0-9]/.test(character) ? "word" : "single";
});

/** Combining accents, and the vowel points that Arabic and Hebrew usually omit. */
const accents = /[\u0300-\u036f\u064b-\u0652\u0591-\u05c7]/g;

const plainMarks: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
};

function folded(raw: string, dropAccents: boolean): string {
  if (raw.length > wordLengthMax) return "";
  if (isAscii(raw)) return /^\s/.test(raw) ? " " : raw.toLowerCase();
  if (/^\s/.test(raw)) return " ";
  // Converts through upper case, so that `ß` becomes `ss` and both forms of sigma are equal.
  const plain = normalized(raw, "NFKD").toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return plainMarks[plain] ?? (dropAccents ? plain.replace(accents, "") : plain);
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
