/** A word, or a run of white space (as one space), or any other character by itself; as folded for comparison. */
export interface Token {
  text: string;
  start: number;
  end: number;
}

export interface TokenReader {
  read(piece: string): void;
  /** The text is complete. */
  end(): void;
  /** How far it has read. */
  readonly position: number;
  /** What was read of a token that may still go on. */
  partial(): Token | undefined;
}

export interface TokenOptions {
  /** `é` is `e` then. Vowel signs of scripts that need them stay. */
  dropAccents: boolean;
}

/** Longer words are no words; their tokens match nothing. */
const wordLengthMax = 128;

type Kind = "word" | "single" | "space" | "mark" | "ignored";

/**
 * Reads a text as tokens, each told as soon as it is complete. In scripts that put no spaces between words every character
 * is a token by itself. Characters that nobody sees (zero width, soft hyphens) count for nothing. Linear.
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

/** The tokens of a text that is complete. */
export function tokensOf(text: string, options: TokenOptions): Token[] {
  const tokens: Token[] = [];
  const reader = createTokenReader(options, (token) => tokens.push(token));
  reader.read(text);
  reader.end();
  return tokens;
}

/** Scripts without spaces between words, and Hangul, whose particles stand right behind the noun. */
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

/** Combining accents, and the vowel points that Arabic and Hebrew are mostly written without. */
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
  // Through upper case, so that `ß` is `ss` and both forms of sigma are one.
  const plain = raw.normalize("NFKD").toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return plainMarks[plain] ?? (dropAccents ? plain.replace(accents, "") : plain);
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
