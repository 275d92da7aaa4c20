/** What stands in the place of a secret. */
export const redacted = "[redacted]";

/** Shorter values would be found inside ordinary words. */
const secretLengthMin = 6;

/** The first characters of a form, by which candidates are found; every form is at least this long. */
const prefixLength = 4;

/**
 * The secrets that this process knows, to be kept out of what it writes: as they are, as JSON and URLs spell them, and in
 * base64 at any offset. Masking costs one look per character, however many secrets there are.
 */
export class SecretRegistry {
  readonly #known = new Set<string>();
  /** The longest form first. */
  readonly #formsByPrefix = new Map<string, string[]>();
  /** One bit for each hash that some form's prefix has, so that nearly all positions are passed at the cost of a look. */
  readonly #filter = new Uint8Array(4096);

  /** From now on `secret` is masked; values under 6 characters are left alone. */
  add(secret: string): void {
    if (secret.length < secretLengthMin || this.#known.has(secret)) return;
    this.#known.add(secret);
    for (const form of formsOf(secret)) {
      const prefix = form.slice(0, prefixLength);
      const forms = this.#formsByPrefix.get(prefix) ?? [];
      forms.push(form);
      forms.sort((a, b) => b.length - a.length);
      this.#formsByPrefix.set(prefix, forms);
      this.#filter[prefixHash(form, 0)] = 1;
    }
  }

  /** `text` without any known secret; the same string when there is none. */
  mask(text: string): string {
    let masked = "";
    let copied = 0;
    const last = this.#known.size === 0 ? -1 : text.length - prefixLength;
    for (let at = 0; at <= last; at++) {
      if (this.#filter[prefixHash(text, at)] === 0) continue;
      const form = this.#formAt(text, at);
      if (form === undefined) continue;
      masked += text.slice(copied, at) + redacted;
      copied = at + form.length;
      at = copied - 1;
    }
    return copied === 0 ? text : masked + text.slice(copied);
  }

  #formAt(text: string, at: number): string | undefined {
    return this.#formsByPrefix
      .get(text.slice(at, at + prefixLength))
      ?.find((form) => text.startsWith(form, at));
  }
}

function prefixHash(text: string, at: number): number {
  const a = text.charCodeAt(at);
  const b = text.charCodeAt(at + 1);
  const c = text.charCodeAt(at + 2);
  const d = text.charCodeAt(at + 3);
  return (a ^ (b << 3) ^ (c << 6) ^ (d << 9)) & 4095;
}

function formsOf(secret: string): Set<string> {
  const url = encodeURIComponent(secret.toWellFormed());
  const spellings = [
    secret,
    url,
    url.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    url.replaceAll("%20", "+"),
    ...base64Forms(secret),
  ];
  return new Set(spellings.flatMap((spelling) => [spelling, JSON.stringify(spelling).slice(1, -1)]));
}

/**
 * How base64 shows the secret inside a longer text: after 0, 1 or 2 other bytes, without the characters at both ends that
 * depend on the neighbours.
 */
function base64Forms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((offset) => {
    const shifted = new Uint8Array(offset + bytes.length);
    shifted.set(bytes, offset);
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor((shifted.length * 8) / 6);
    return [
      shifted.toBase64().slice(start, end),
      shifted.toBase64({ alphabet: "base64url" }).slice(start, end),
    ];
  });
}
