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
  readonly #forms = new FormTree();
  /** Hashes of the prefixes of all forms, so that nearly all positions are rejected with one lookup. */
  readonly #filter = new Uint8Array(4096);

  /** Masks `secret` from now on; values under 6 characters are ignored. */
  add(secret: string): void {
    if (secret.length < secretLengthMin || this.#known.has(secret)) return;
    this.#known.add(secret);
    for (const form of formsOf(secret)) {
      this.#forms.add(form);
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
      const length = this.#forms.longestAt(text, at);
      if (length === 0) continue;
      masked += text.slice(copied, at) + redacted;
      copied = at + length;
      at = copied - 1;
    }
    return copied === 0 ? text : masked + text.slice(copied);
  }
}

/** A part of forms that continue in different ways after it. */
interface Branch {
  label: string;
  isForm: boolean;
  /** By their first character. */
  readonly branches: Map<number, Branch>;
}

/** Texts as a radix tree: adding and finding take as long as the text, however many others begin in the same way. */
class FormTree {
  readonly #root: Branch = { label: "", isForm: false, branches: new Map() };

  add(form: string): void {
    let node = this.#root;
    for (let at = 0; at < form.length; ) {
      const first = form.charCodeAt(at);
      const branch = node.branches.get(first);
      if (branch === undefined) {
        node.branches.set(first, { label: form.slice(at), isForm: true, branches: new Map() });
        return;
      }
      const shared = sharedLength(branch.label, form, at);
      at += shared;
      if (shared === branch.label.length) {
        node = branch;
        continue;
      }
      const rest = branch.label.slice(shared);
      const upper: Branch = {
        label: branch.label.slice(0, shared),
        isForm: false,
        branches: new Map([[rest.charCodeAt(0), branch]]),
      };
      branch.label = rest;
      node.branches.set(first, upper);
      node = upper;
    }
    node.isForm = true;
  }

  /** Returns the length of the longest form that begins at a position; 0 without one. */
  longestAt(text: string, start: number): number {
    let longest = 0;
    let node = this.#root;
    for (let at = start; ; ) {
      const branch = node.branches.get(text.charCodeAt(at));
      if (branch === undefined || !text.startsWith(branch.label, at)) return longest;
      at += branch.label.length;
      if (branch.isForm) longest = at - start;
      node = branch;
    }
  }
}

function sharedLength(label: string, form: string, at: number): number {
  let shared = 0;
  while (shared < label.length && label.charCodeAt(shared) === form.charCodeAt(at + shared)) shared++;
  return shared;
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
