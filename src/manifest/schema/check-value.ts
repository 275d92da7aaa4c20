import {
  KindGuard,
  type TArray,
  type TObject,
  type TRecord,
  type TSchema,
  type TUnion,
} from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isRecord } from "../../kit/json/is-record.ts";
import { addFault, type Fault, faultsMax, type Path } from "../fault.ts";
import { chooseVariant, suggestion } from "./choose-variant.ts";
import { expectation, foundValue } from "./found-value.ts";
import { aliasesOf } from "./schema-vocabulary.ts";

/**
 * Reads `value` according to `schema`: folds aliases of keys, fills in defaults, and collects faults in the document's order. `written` is
 * the document before variable substitution; faults quote its values. Without faults, the result fits the schema. With faults, it must not
 * be used.
 */
export function checkValue(
  schema: TSchema,
  value: unknown,
  written = value,
): { value: unknown; faults: Fault[] } {
  const findings: Finding[] = [];
  const read = visit(schema, value, [], findings);
  return { value: read, faults: findings.map((finding) => worded(finding, written)) };
}

/** A fault that quotes the refused value, with advice after it. */
interface Finding extends Fault {
  quotes?: true;
  advice?: string;
}

function worded({ quotes, advice = "", ...fault }: Finding, written: unknown): Fault {
  const quotation = quotes === true ? foundValue(written, fault.path) : "";
  return { ...fault, message: `${fault.message}${quotation === "" ? "" : `, ${quotation}`}${advice}` };
}

function visit(schema: TSchema, value: unknown, path: Path, faults: Finding[]): unknown {
  if (KindGuard.IsUnion(schema)) return visitUnion(schema, value, path, faults);
  if (KindGuard.IsObject(schema) && isRecord(value)) return visitObject(schema, value, path, faults);
  if (KindGuard.IsRecord(schema) && isRecord(value)) return visitRecord(schema, value, path, faults);
  if (KindGuard.IsArray(schema) && Array.isArray(value)) return visitArray(schema, value, path, faults);
  if (!Value.Check(schema, value)) refuse(schema, value, path, faults);
  return value;
}

function visitUnion(schema: TUnion, value: unknown, path: Path, faults: Finding[]): unknown {
  const entries = schema.anyOf.find(
    (variant): variant is TArray => KindGuard.IsArray(variant) && KindGuard.IsObject(variant.items),
  );
  if (entries !== undefined && Array.isArray(value)) return visitArray(entries, value, path, faults);
  const mappings = schema.anyOf.filter((variant) => KindGuard.IsObject(variant));
  if (isRecord(value) && mappings.length > 0) {
    const choice = chooseVariant(mappings, value);
    if ("chosen" in choice) return visitObject(choice.chosen, value, path, faults);
    refuseValue(faults, [...path, choice.key], choice.message, choice.advice);
  } else if (!Value.Check(schema, value)) refuse(schema, value, path, faults);
  return value;
}

function visitObject(
  schema: TObject,
  value: Record<string, unknown>,
  path: Path,
  faults: Finding[],
): unknown {
  const spelling = spellingsOf(schema);
  const read: Record<string, unknown> = {};
  for (const [written, item] of Object.entries(value)) {
    const key = spelling.get(written);
    const here = [...path, written];
    if (key === undefined) {
      if (schema.additionalProperties === true) read[written] = item;
      else if (faults.length < faultsMax)
        addFault(faults, here, unknownKey(written, schema, [...spelling.keys()]), "key");
    } else if (Object.hasOwn(read, key)) {
      addFault(faults, here, `is another spelling of a key that is given as well; keep \`${key}\``, "key");
    } else {
      const property = propertyOf(schema, key);
      read[key] = visit(property, isEmptyMapping(property, item) ? {} : item, here, faults);
    }
  }
  for (const key of schema.required ?? []) {
    if (Object.hasOwn(read, key)) continue;
    const property = propertyOf(schema, key);
    const here = [...path, key];
    if ("default" in property) read[key] = visit(property, structuredClone(property.default), here, faults);
    else addFault(faults, here, `is required: ${expectation(property)}`);
  }
  return read;
}

/** True for a mapping of names with nothing below it, as in a file whose entries are all commented out. */
const isEmptyMapping = (property: TSchema, item: unknown): boolean =>
  item === null &&
  KindGuard.IsRecord(property) &&
  isRecord(property.default) &&
  Object.keys(property.default).length === 0;

function visitRecord(
  schema: TRecord,
  value: Record<string, unknown>,
  path: Path,
  faults: Finding[],
): unknown {
  const keysMax: number | undefined = schema.maxProperties;
  const entries = Object.entries(value);
  if (keysMax !== undefined && entries.length > keysMax) {
    addFault(faults, path, `must have ${keysMax} keys or fewer`);
    return value;
  }
  const read: Record<string, unknown> = {};
  for (const [pattern, items] of Object.entries(schema.patternProperties)) {
    const shape = new RegExp(pattern);
    for (const [key, item] of entries) {
      const here = [...path, key];
      if (schema.additionalProperties !== false || shape.test(key)) {
        read[key] = visit(items, item, here, faults);
      } else {
        addFault(faults, here, `is not a possible key: it must be ${keyExpectation(schema, pattern)}`, "key");
      }
    }
  }
  return read;
}

/** Describes an unknown key: suggests the nearest known key, or lists all of them if none is near. */
function unknownKey(written: string, schema: TObject, spellings: readonly string[]): string {
  const guess = suggestion(written, spellings);
  if (guess !== "") return `is not a known key${guess}`;
  const known = Object.keys(schema.properties).map((key) => `\`${key}\``);
  return known.length === 0
    ? "is not a known key; there are none here"
    : `is not a known key; the keys here are ${known.join(", ")}`;
}

const keyExpectation = (schema: TRecord, pattern: string): string =>
  typeof schema.expects === "string" ? schema.expects : `of the form ${pattern}`;

function visitArray(schema: TArray, value: readonly unknown[], path: Path, faults: Finding[]): unknown {
  if (value.length < (schema.minItems ?? 0)) {
    addFault(faults, path, `must have ${schema.minItems} or more entries`);
  }
  if (value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) {
    addFault(faults, path, `must have ${schema.maxItems} entries or fewer`);
    return value;
  }
  return value.map((item, index) => visit(schema.items, item, [...path, index], faults));
}

function refuse(schema: TSchema, value: unknown, path: Path, faults: Finding[]): void {
  // Suggestions cost more than checks, and later faults are not reported.
  if (faults.length >= faultsMax) return;
  const quoting =
    KindGuard.IsString(schema) && (typeof value === "number" || typeof value === "boolean")
      ? "; put it in quotes to make it text"
      : "";
  const advice = `${quoting}${suggestion(value, namesOf(schema))}`;
  refuseValue(faults, path, `must be ${expectation(schema)}`, advice);
}

function refuseValue(faults: Finding[], path: Path, message: string, advice: string): void {
  if (faults.length < faultsMax) faults.push({ path, at: "value", message, quotes: true, advice });
}

/** Returns the names of a choice; none if the schema is not a choice. */
function namesOf(schema: TSchema): string[] {
  if (!KindGuard.IsUnion(schema)) return [];
  return schema.anyOf.flatMap((variant) => (KindGuard.IsLiteral(variant) ? String(variant.const) : []));
}

/** Returns every spelling of the keys of an object, mapped to its key. */
function spellingsOf(schema: TObject): Map<string, string> {
  const spellings = new Map<string, string>();
  for (const [key, property] of Object.entries(schema.properties)) {
    spellings.set(key, key);
    for (const alias of aliasesOf(property)) spellings.set(alias, key);
  }
  return spellings;
}

function propertyOf(schema: TObject, key: string): TSchema {
  const property = schema.properties[key];
  if (property === undefined) throw new TypeError(`The schema has no property ${key}.`);
  return property;
}
