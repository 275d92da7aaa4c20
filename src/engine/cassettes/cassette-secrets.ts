import { isSecretName, replaceSecretsIn } from "../../kit/redact-text.ts";
import { redacted, SecretRegistry } from "../../kit/secret-registry.ts";

/** Data that repeats the word `token` a thousand times over is no list of secrets. */
const learnedMax = 1000;
const learnedLengthMin = 6;
/** Shorter ones stand inside of other words: they are masked where they are a word, and only if their name says what they are. */
const wordLengthMin = 4;
/** JSON this deep comes from nobody who means well; a run could hardly have carried it. */
const depthMax = 200;

/** `declared`: manifests and tools, in which a secret's name may stand above the description of a field. */
export type ContentKind = "said" | "declared";

/**
 * The secrets of one recording: those the process knows, and those that show in what was said, by the name they stand under
 * or by their looks. A secret is found where it enters (`learn`) and masked, as the same characters, wherever it went (`mask`):
 * so what a replay makes of masked parts is the masked whole.
 */
export class CassetteSecrets {
  readonly #maskKnown: (text: string) => string;
  readonly #learned = new SecretRegistry();
  readonly #words = new Set<string>();
  readonly #names: ReadonlySet<string>;
  readonly #copies = new Map<object, unknown>();
  #learnedCount = 0;
  #masked = 0;

  /** `names`: of agents, tools and models, which are never taken for secrets. */
  constructor(maskKnown: (text: string) => string, names: Iterable<string>) {
    this.#maskKnown = maskKnown;
    this.#names = new Set(names);
  }

  /** Texts in which something was masked so far. */
  get maskedCount(): number {
    return this.#masked;
  }

  /** Takes what looks like a secret in `value` for one from now on. */
  learn(value: unknown, kind: ContentKind = "said"): void {
    this.#visit(value, kind, { isSecret: false, depth: 0 });
  }

  /** `text` without a secret. */
  maskText(text: string): string {
    const masked = maskLooks(this.#maskWords(this.#learned.mask(this.#maskKnown(text))));
    if (masked !== text) this.#masked++;
    return masked;
  }

  /** A copy of `value` as plain JSON, without a secret. Throws RangeError when it is nested too deeply to be kept. */
  mask(value: unknown, kind: ContentKind = "said"): unknown {
    return this.#copy(value, kind, { isSecret: false, depth: 0 });
  }

  /** The same for what is shared by many requests and never changed, such as messages: copied once. */
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
    // Part of it is masked already, or it is an ordinary word: as such it would be found all over.
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

  /** Small numbers are counts, whatever they are called. */
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
  /** Whether a name above says that this is a secret. */
  isSecret: boolean;
  depth: number;
}

function below({ isSecret, depth }: Place, name: string, item: unknown, kind: ContentKind): Place {
  const isNamedSecret = isSecretName(name) && (kind === "said" || isWrittenSecret(item));
  return { isSecret: isSecret || isNamedSecret, depth: depth + 1 };
}

/** In a manifest: a value, not the description or the type of one, nor the template that makes one. */
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

/** What a pattern hides may bring another to light. */
function maskLooks(text: string): string {
  let masked = text;
  for (let round = 0; round < 4; round++) {
    const again = replaceSecretsIn(masked, () => redacted);
    if (again === masked) break;
    masked = again;
  }
  return masked;
}

/** `text` as requests are compared: in it a masked secret is what stands around it, up to the next quote, brace or blank. */
export function comparableText(text: string): string {
  if (!text.includes(redacted)) {
    const masked = maskLooks(text);
    return masked === text ? text : comparableText(masked);
  }
  return maskLooks(text).replace(/\\*["']?[^\s"',{}\\]*\[redacted\][^\s"',{}\\]*\\*["']?/g, redacted);
}
