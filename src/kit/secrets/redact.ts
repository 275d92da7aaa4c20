import { AppError } from "../app-error.ts";
import { isSecretName, redactText } from "./redact-text.ts";
import { redacted, type SecretRegistry } from "./secret-registry.ts";

const depthMax = 8;
const valuesMax = 500;
const textCharsMax = 8192;

/**
 * Returns a copy of `value` as plain JSON that is safe for a log or a trace. Values under secret names, text that looks like a secret, and
 * known secrets are masked. Errors are expanded; depth, size and long texts are cut. Never throws.
 */
export function redact(value: unknown, secrets: SecretRegistry): unknown {
  return typeof value === "string" ? copyText(value, secrets) : new Redaction(secrets).copy(value, 0);
}

/** Masks a text. Known secrets come first: once cut in half, they would not be recognized. */
function copyText(text: string, secrets: SecretRegistry): string {
  const masked = secrets.mask(text);
  if (masked.length <= textCharsMax) return redactText(masked);
  return `${redactText(masked.slice(0, textCharsMax))}… (${masked.length} characters)`;
}

/** A key that is not a plain name may be an address or other data. */
const plainName = /^[\w.-]{1,40}$/;

/** One copy operation, which counts the copied values. */
class Redaction {
  readonly #secrets: SecretRegistry;
  #values = 0;

  constructor(secrets: SecretRegistry) {
    this.#secrets = secrets;
  }

  copy(value: unknown, depth: number): unknown {
    this.#values++;
    switch (typeof value) {
      case "string":
        return this.#copyText(value);
      case "number":
        return this.#copyNumber(value);
      case "bigint":
        return this.#copyText(String(value));
      case "boolean":
        return value;
      case "object":
        return value === null ? null : this.#copyObject(value, depth);
      default:
        return undefined;
    }
  }

  #copyText(text: string): string {
    return copyText(text, this.#secrets);
  }

  #copyName(name: string): string {
    return plainName.test(name) ? name : this.#copyText(name);
  }

  /** Copies a number. A long number may be a card number or a secret. */
  #copyNumber(number: number): number | string {
    if (!Number.isFinite(number)) return String(number);
    if (Math.abs(number) < 100_000) return number;
    const text = String(number);
    const masked = this.#copyText(text);
    return masked === text ? number : masked;
  }

  #copyObject(object: object, depth: number): unknown {
    if (depth >= depthMax || this.#full) return "[cut]";
    try {
      if (object instanceof Date) return object.toJSON();
      if (object instanceof URL) return this.#copyText(object.href);
      if (object instanceof Error) return this.#copyEntries(Object.entries(describeError(object)), depth);
      if (ArrayBuffer.isView(object)) return `[${object.byteLength} bytes]`;
      if (object instanceof Map || object instanceof Headers)
        return this.#copyEntries(object.entries(), depth);
      if (Array.isArray(object) || object instanceof Set) return this.#copyItems(object, depth);
      return this.#copyEntries(Object.entries(object), depth);
    } catch {
      return "[unreadable]";
    }
  }

  get #full(): boolean {
    return this.#values >= valuesMax;
  }

  #copyItems(items: Iterable<unknown>, depth: number): unknown[] {
    const copy: unknown[] = [];
    for (const item of items) {
      if (this.#full) break;
      copy.push(this.copy(item, depth + 1));
    }
    return copy;
  }

  #copyEntries(entries: Iterable<[unknown, unknown]>, depth: number): Record<string, unknown> {
    // The copy has no prototype, because a key may be `__proto__`.
    const copy: Record<string, unknown> = Object.create(null);
    for (const [key, value] of entries) {
      if (this.#full) break;
      const name = String(key);
      copy[this.#copyName(name)] =
        isSecretName(name) && carriesSecret(value) ? redacted : this.copy(value, depth + 1);
    }
    return copy;
  }
}

function carriesSecret(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "boolean";
}

function describeError(error: Error): Record<string, unknown> {
  return {
    type: error.name,
    message: messageOf(error),
    ...(error instanceof AppError ? { kind: error.kind, code: error.code, details: error.details } : {}),
    ...("code" in error && !(error instanceof AppError) ? { code: error.code } : {}),
    // Only the frames: the first lines repeat the message.
    stack: error.stack
      ?.split("\n")
      .filter((line) => line.startsWith("    at "))
      .join("\n"),
    cause: error.cause,
    errors: error instanceof AggregateError ? error.errors : undefined,
  };
}

/** Returns an error's message without the parameters of a database query, which are users' data. */
function messageOf(error: Error): string {
  return "query" in error && "params" in error ? `Failed query: ${String(error.query)}` : error.message;
}
