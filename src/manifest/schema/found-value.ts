import { isSecretName, redactText } from "../../kit/secrets/redact-text.ts";
import type { Path } from "../fault.ts";

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

/** Returns the value at a path, or undefined if the document has none. */
export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}
