import { isSecretName, replaceSecretsIn } from "../../kit/secrets/redact-text.ts";
import { redacted, SecretRegistry } from "../../kit/secrets/secret-registry.ts";

/** Upper limit of learned secrets: data that repeats the word `token` a thousand times is not a list of secrets. */
const learnedMax = 1000;
const learnedLengthMin = 6;
/** Shorter secrets occur inside other words. They are masked only as whole words, and only if their field name marks them as secret. */
const wordLengthMin = 4;
/** Deeper JSON is hostile, and a run could hardly have carried it. */
const depthMax = 200;

/** `declared`: manifests and tools, where a field with a secret's name may hold a description. */
export type ContentKind = "said" | "declared";

/**
 * The secrets of one recording: those that the process knows, and those recognized in the content by field name or pattern. `learn` finds a
 * secret where it enters, and `mask` replaces the same characters everywhere. So a replay of masked parts yields the masked whole.
 */
export class CassetteSecrets {
  readonly #maskKnown: (text: string) => string;
  readonly #learned = new SecretRegistry();
  readonly #words = new Set<string>();
  readonly #names: ReadonlySet<string>;
  readonly #copies = new Map<object, unknown>();
  #learnedCount = 0;
  #masked = 0;

  /** `names`: names of agents, tools and models, which are never treated as secrets. */
  constructor(maskKnown: (text: string) => string, names: Iterable<string>) {
    this.#maskKnown = maskKnown;
    this.#names = new Set(names);
  }

  /** Number of texts in which something was masked. */
  get maskedCount(): number {
    return this.#masked;
  }

  /** Finds secrets in `value` and remembers them for masking. */
  learn(value: unknown, kind: ContentKind = "said"): void {
    this.#visit(value, kind, { isSecret: false, depth: 0 });
  }

  /** Returns `text` with all known secrets masked. */
  maskText(text: string): string {
    const masked = maskLooks(this.#maskWords(this.#learned.mask(this.#maskKnown(text))));
    if (masked !== text) this.#masked++;
    return masked;
  }

  /** Returns a copy of `value` as plain JSON with secrets masked. Throws RangeError if it is nested too deeply. */
  mask(value: unknown, kind: ContentKind = "said"): unknown {
    return this.#copy(value, kind, { isSecret: false, depth: 0 });
  }

  /** As `mask`, for immutable objects that many requests share, such as messages: each is copied once. */
  maskShared<T extends object>(value: T, kind: ContentKind = "said"): unknown {
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    const copy = this.mask(value, kind);
    this.#copies.set(value, copy);
    return copy;
  }

  #visit(value: unknown, kind: ContentKind, place: Place): void {
    if (typeof value === "string" || (typeof value === "number" && place.isSecret)) {
      const text = this.#maskKnown(String(value));
      if (place.isSecret) this.#learn(text, wordLengthMin);
      replaceSecretsIn(text, (secret) => {
        this.#learn(secret);
        return secret;
      });
      return;
    }
    if (typeof value !== "object" || value === null || place.depth >= depthMax) return;
    for (const [name, item] of Object.entries(value)) this.#visit(item, kind, below(place, name, item, kind));
  }

  #learn(text: string, lengthMin = learnedLengthMin): void {
    // Skips partly masked texts and ordinary words: an ordinary word would be masked everywhere.
    if (text.length < lengthMin || text.includes(redacted) || /^[A-Za-z]{1,20}$/.test(text)) return;
    if (this.#names.has(text) || this.#learnedCount >= learnedMax) return;
    this.#learnedCount++;
    if (text.length < learnedLengthMin) this.#words.add(text);
    else this.#learned.add(text);
  }

  #maskWords(text: string): string {
    let masked = text;
    for (const word of this.#words) {
      if (masked.includes(word)) masked = masked.replace(wordPattern(word), redacted);
    }
    return masked;
  }

  #copy(value: unknown, kind: ContentKind, place: Place): unknown {
    switch (typeof value) {
      case "string":
        return place.isSecret && value !== "" ? this.#hidden() : this.maskText(value);
      case "number":
        return this.#copyNumber(value, place);
      case "boolean":
        return value;
      case "object":
        return value === null ? null : this.#copyObject(value, kind, place);
      default:
        return undefined;
    }
  }

  #hidden(): string {
    this.#masked++;
    return redacted;
  }

  /** Small numbers are counts, whatever their name. */
  #copyNumber(number: number, { isSecret }: Place): number | string | null {
    if (!Number.isFinite(number)) return null;
    const text = String(number);
    if (this.#words.has(text)) return this.#hidden();
    if (Math.abs(number) < 100_000) return number;
    return isSecret || this.#learned.mask(this.#maskKnown(text)) !== text ? this.#hidden() : number;
  }

  #copyObject(object: object, kind: ContentKind, place: Place): unknown {
    if (place.depth >= depthMax) throw new RangeError("What was said is nested too deeply to be recorded.");
    if (object instanceof Date) return object.toJSON();
    if (Array.isArray(object)) {
      return object.map((item) => this.#copy(item, kind, { ...place, depth: place.depth + 1 }) ?? null);
    }
    const copy: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(object)) {
      const copied = this.#copy(item, kind, below(place, name, item, kind));
      // A key may be `__proto__`.
      if (copied !== undefined) {
        Object.defineProperty(copy, this.#maskKnown(name), {
          value: copied,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
    }
    return copy;
  }
}

interface Place {
  /** True if a name above this value marks it as a secret. */
  isSecret: boolean;
  depth: number;
}

function below({ isSecret, depth }: Place, name: string, item: unknown, kind: ContentKind): Place {
  const isNamedSecret = isSecretName(name) && (kind === "said" || isWrittenSecret(item));
  return { isSecret: isSecret || isNamedSecret, depth: depth + 1 };
}

/** In a manifest, returns true for a value, but not for a description, a type name or a template. */
function isWrittenSecret(item: unknown): boolean {
  return typeof item === "string" && !/\{[{%]/.test(item) && !typeNames.has(item);
}

const typeNames: ReadonlySet<string> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "null",
]);

function wordPattern(word: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(word)}(?![A-Za-z0-9])`, "g");
}

/** Repeats because masking one match may reveal another. */
function maskLooks(text: string): string {
  let masked = text;
  for (let round = 0; round < 4; round++) {
    const again = replaceSecretsIn(masked, () => redacted);
    if (again === masked) break;
    masked = again;
  }
  return masked;
}

/**
 * `text` in the form in which requests are compared: a masked secret includes the characters around it, up to the next quote, comma, brace
 * or space.
 */
export function comparableText(text: string): string {
  if (!text.includes(redacted)) {
    const masked = maskLooks(text);
    return masked === text ? text : comparableText(masked);
  }
  return maskLooks(text).replace(/\\*["']?[^\s"',{}\\]*\[redacted\][^\s"',{}\\]*\\*["']?/g, redacted);
}
