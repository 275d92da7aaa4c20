/** Replacement for a secret. */
export const redacted = "[redacted]";

/** Shorter values would occur inside ordinary words. */
const secretLengthMin = 6;

/** Length of the prefix by which candidates are found; every form is at least this long. */
const prefixLength = 4;

/** Receives secrets as they become known. */
export interface SecretLearner {
  add(secret: string): void;
}

/**
 * The secrets that this process knows and masks in its output: as they are, as JSON, URLs and markup spell them, in hexadecimal digits, and
 * in base64 at any offset. Masking costs one lookup per character, however many secrets there are.
 */
export class SecretRegistry implements SecretLearner {
  readonly #known = new Set<string>();
  /** Forms by prefix, the longest first. */
  readonly #formsByPrefix = new Map<string, string[]>();
  /** Hashes of the prefixes of all forms, so that nearly all positions are rejected with one lookup. */
  readonly #filter = new Uint8Array(4096);

  /** Masks `secret` from now on; values under 6 characters are ignored. */
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

  /** Masks all known secrets in `text`; returns the same string if there are none. */
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
  const wellFormed = secret.toWellFormed();
  const url = encodeURIComponent(wellFormed);
  const spellings = [
    secret,
    encodeURI(wellFormed),
    // As forms encode it.
    new URLSearchParams([["", wellFormed]]).toString().slice(1),
    ...urlForms(url),
    // A URL inside the query of another URL.
    ...urlForms(encodeURIComponent(url)),
    ...markupForms(secret),
    ...base64Forms(secret),
    ...hexForms(secret),
  ];
  return new Set(spellings.flatMap(jsonForms));
}

function urlForms(url: string): string[] {
  return [
    url,
    url.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    url.replaceAll("%20", "+"),
    // Characters that encodeURIComponent does not encode and other writers do (RFC 3986, reserved characters).
    url.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
  ];
}

/** Spells a text as it is, as JSON, as JSON inside JSON, and as writers do that escape markup or slashes in JSON. */
function jsonForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const unicode = (pattern: RegExp) =>
    json.replace(pattern, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [
    text,
    json,
    JSON.stringify(json).slice(1, -1),
    json.replaceAll("/", "\\/"),
    unicode(/[<>&]/g),
    unicode(/[\u0080-\uffff]/g),
  ];
}

function markupForms(secret: string): string[] {
  const text = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const attributes = [text.replaceAll('"', "&quot;"), text.replaceAll('"', "&#34;")];
  const apostrophes = ["&#39;", "&#x27;", "&apos;"];
  return [
    text,
    ...attributes,
    ...attributes.flatMap((form) => apostrophes.map((one) => form.replaceAll("'", one))),
  ];
}

function hexForms(secret: string): string[] {
  const hex = new TextEncoder().encode(secret).toHex();
  return [hex, hex.toUpperCase()];
}

/**
 * Spells the secret in base64 inside a longer text: after 0, 1 or 2 other bytes, without the characters at both ends that depend on the
 * neighbours.
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
