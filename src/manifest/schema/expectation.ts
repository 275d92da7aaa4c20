import { KindGuard, type TSchema } from "@sinclair/typebox";

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
