import type { TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import type { Problem } from "../../kit/app-error.ts";
import { AppError } from "../../kit/app-error.ts";
import { didYouMean } from "../../kit/text/did-you-mean.ts";

/** Limit for the faults that are reported: one is enough to act on, and a body may have a million. */
const problemsMax = 20;

/** Limit for a path in a message: its keys come from the caller. */
const pathLengthMax = 200;

/** Describes the faults that a schema found, in plain words: one for each path. Of the values sent, only numbers are repeated. */
export function validationProblems(errors: Iterable<ValueError>, schema: TSchema): Problem[] {
  const problems = new Map<string, Problem>();
  for (const error of withinNullable(errors)) {
    const path = dotted(error.path);
    if (!problems.has(path)) problems.set(path, { path, message: describe(error, schema) });
    if (problems.size === problemsMax) break;
  }
  return [...problems.values()];
}

/** The faults; for an object or a list that could also be null, those inside it. */
function* withinNullable(errors: Iterable<ValueError>): Generator<ValueError, void> {
  for (const error of errors) {
    const inside = errorsInside(error);
    if (inside === undefined) yield error;
    else yield* withinNullable(inside);
  }
}

function errorsInside({ type, schema, value, errors }: ValueError): Iterable<ValueError> | undefined {
  if (type !== ValueErrorType.Union || schema.fault !== undefined) return undefined;
  const options = (schema.anyOf as TSchema[] | undefined) ?? [];
  const place = options.findIndex((option) => option.type !== "null");
  const sent = Array.isArray(value) ? "array" : typeof value;
  const isMeant = options.length === 2 && value !== null && options[place]?.type === sent;
  const isNullable = options.some((option) => option.type === "null");
  return isMeant && isNullable && (sent === "object" || sent === "array") ? errors[place] : undefined;
}

function describe(error: ValueError, root: TSchema): string {
  if (error.type === ValueErrorType.ObjectRequiredProperty) return "is required";
  if (typeof error.schema.fault === "string") return error.schema.fault;
  switch (error.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return unknownField(error, root);
    case ValueErrorType.Union:
      return nullableNumber(error) ?? choices(error.schema);
    case ValueErrorType.Literal:
      return `must be ${JSON.stringify(error.schema.const)}`;
    case ValueErrorType.StringMinLength:
      return `must have at least ${counted(error.schema.minLength, "character")}`;
    case ValueErrorType.StringMaxLength:
      return `must have at most ${counted(error.schema.maxLength, "character")}`;
    case ValueErrorType.ArrayMinItems:
      return `must have at least ${counted(error.schema.minItems, "entry", "entries")}`;
    case ValueErrorType.ArrayMaxItems:
      return `must have at most ${counted(error.schema.maxItems, "entry", "entries")}`;
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.IntegerExclusiveMinimum:
    case ValueErrorType.IntegerExclusiveMaximum:
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.NumberMaximum:
    case ValueErrorType.NumberExclusiveMinimum:
    case ValueErrorType.NumberExclusiveMaximum:
      return `must be ${numberIn(error.schema)}, got ${error.value}`;
    default:
      return error.message.replace(/^Expected /, "expected ");
  }
}

function unknownField(error: ValueError, root: TSchema): string {
  const keys = error.path.slice(1).split("/").map(unescapePointer);
  const name = keys.pop() ?? "";
  const nearest = didYouMean(name, Object.keys(schemaAt(root, keys)?.properties ?? {}));
  return nearest === undefined ? "is not a field here" : `is not a field here (did you mean ${nearest}?)`;
}

/** Returns the schema of the object that a pointer leads to, or undefined if it is not certain because of unions. */
function schemaAt(root: TSchema, keys: readonly string[]): TSchema | undefined {
  return keys.reduce<TSchema | undefined>((schema, key) => schema?.properties?.[key] ?? schema?.items, root);
}

/** Describes the range of a nullable number and the number that was sent; returns undefined for any other union. */
function nullableNumber({ schema, value }: ValueError): string | undefined {
  const options = (schema.anyOf as TSchema[] | undefined) ?? [];
  const [number, ...others] = options.filter((option) => option.type !== "null");
  const isNullable = options.length === 2 && number !== undefined && others.length === 0;
  if (!isNullable || (number.type !== "number" && number.type !== "integer")) return undefined;
  const got = typeof value === "number" ? `, got ${value}` : "";
  return `must be ${numberIn(number)} or null${got}`;
}

const numberIn = (schema: TSchema): string =>
  `${schema.type === "integer" ? "a whole number" : "a number"}${rangeOf(schema)}`;

const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: TSchema): string {
  const least = minimum ?? exclusiveMinimum;
  const most = maximum ?? exclusiveMaximum;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  const bounds = [
    ...(least === undefined ? [] : [`${minimum === undefined ? "above" : "of at least"} ${least}`]),
    ...(most === undefined ? [] : [`${maximum === undefined ? "below" : "of at most"} ${most}`]),
  ];
  return bounds.length === 0 ? "" : ` ${bounds.join(" and ")}`;
}

function choices(schema: TSchema): string {
  const options = (schema.anyOf as TSchema[] | undefined) ?? [];
  if (options.length > 0 && options.every((option) => "const" in option)) {
    return `must be one of ${options.map((option) => JSON.stringify(option.const)).join(", ")}`;
  }
  // Elysia accepts a number in a URL as a string of the format `numeric`; messages do not mention that.
  const types = new Set(options.filter((option) => option.format !== "numeric").map((option) => option.type));
  return types.has(undefined) ? "has none of the accepted forms" : `expected ${[...types].join(" or ")}`;
}

/** Converts a JSON pointer to a dotted path: `/spec/tools/0/name` is `spec.tools[0].name`. */
function dotted(pointer: string): string {
  const keys = pointer.split("/").slice(1).map(unescapePointer);
  const path = keys.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join("");
  const written = path.startsWith(".") ? path.slice(1) : path;
  return written.length > pathLengthMax ? `${written.slice(0, pathLengthMax)}…` : written;
}

function unescapePointer(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Returns the error for a part of a request, such as "The body", with the faults that its schema found. */
export function invalidPart(part: string, errors: Iterable<ValueError>, schema: TSchema): AppError {
  const problems = validationProblems(errors, schema);
  const [first] = problems;
  const fault = first === undefined ? "" : `: ${first.path === "" ? "" : `${first.path} `}${first.message}`;
  return new AppError("invalid", "invalid_request", `${part} is not valid${fault}.`, {
    details: { problems },
  });
}
