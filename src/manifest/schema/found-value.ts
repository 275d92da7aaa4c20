import { KindGuard, type TSchema } from "@sinclair/typebox";
import { isSecretName, redactText } from "../../kit/secrets/redact-text.ts";
import type { Path } from "../fault.ts";
import { valueAt } from "../value-at.ts";

/** Longer texts are not quoted; only their length is reported. */
const shownLengthMax = 40;

/** Mappings whose values may be secrets under any name. */
const closedNames = new Set(["headers", "env", "connection", "url", "dsn", "connection_string"]);

/**
 * Returns "got 99": the value at `path` of a document before variable substitution. Does not quote a text that may be a secret. Returns an
 * empty text if there is no value.
 */
export function foundValue(document: unknown, path: Path): string {
  const value = valueAt(document, path);
  if (value === undefined) return "";
  if (Array.isArray(value)) return "got a list";
  if (typeof value === "object" && value !== null) return "got a mapping";
  const isClosed = path.some(
    (segment) => typeof segment === "string" && (closedNames.has(segment) || isSecretName(segment)),
  );
  if (value === null) return "got null";
  if (isClosed) return `got ${kindOf(value)}`;
  if (typeof value !== "string") return `got ${value}`;
  const isQuotable = value.length <= shownLengthMax && !/[\r\n]/.test(value) && redactText(value) === value;
  return isQuotable ? `got ${JSON.stringify(value)}` : `got text of ${value.length} characters`;
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return "text";
  return typeof value === "boolean" ? "true or false" : "a number";
}

/** Returns what a value of this schema must be, in words that complete "must be …". The reference uses the same words. */
export function expectation(schema: TSchema): string {
  if (typeof schema.expects === "string" && !KindGuard.IsRecord(schema)) return schema.expects;
  if (KindGuard.IsLiteral(schema)) return `\`${schema.const}\``;
  if (KindGuard.IsUnion(schema)) return unionExpectation(schema.anyOf);
  if (KindGuard.IsString(schema)) return textExpectation(schema.minLength ?? 0, schema.maxLength);
  if (KindGuard.IsInteger(schema)) return `a whole number${range(schema.minimum, schema.maximum)}`;
  if (KindGuard.IsNumber(schema)) return `a number${range(schema.minimum, schema.maximum)}`;
  if (KindGuard.IsBoolean(schema)) return "true or false";
  if (KindGuard.IsNull(schema)) return "null";
  if (KindGuard.IsNever(schema)) return "left out: this version has none to offer";
  if (KindGuard.IsArray(schema)) return "a list";
  if (KindGuard.IsObject(schema) || KindGuard.IsRecord(schema)) return "a mapping";
  return "a value";
}

function unionExpectation(variants: readonly TSchema[]): string {
  const isChoice = variants.every((variant) => KindGuard.IsLiteral(variant));
  if (isChoice) return `one of ${variants.map(expectation).join(", ")}`;
  return [...new Set(variants.map(expectation))].join(" or ");
}

function textExpectation(minLength: number, maxLength: number | undefined): string {
  if (maxLength === undefined) return minLength > 0 ? "text that is not empty" : "text";
  return minLength > 0
    ? `text of ${minLength} to ${maxLength} characters`
    : `text of at most ${maxLength} characters`;
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` between ${minimum} and ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? "" : ` of at most ${maximum}`;
}
