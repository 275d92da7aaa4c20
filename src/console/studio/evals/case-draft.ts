import { type CheckKind, checkKinds, checkSchema } from "../../../manifest/eval/checks.ts";
import { isRecord } from "../../parts/is-record.ts";
import { checkInput, type FormFaults } from "../../parts/schema-form/schema-form-check.ts";
import { type FormSchema, initialValue } from "../../parts/schema-form/schema-form-value.ts";

/** A check in a form: its kind, and what that kind asks for. `key` identifies its row. */
export interface CheckDraft {
  key: number;
  kind: CheckKind;
  /** As a file has it; undefined or "" while the row is not filled in. */
  value: unknown;
  name?: string;
}

/** One to fill in, because a case needs a check. */
export const firstCheck: readonly CheckDraft[] = [{ key: 0, kind: "contains", value: "" }];

/** Schema of the value of a kind of check, in the form that fields understand. */
export const schemaOfCheck = (kind: CheckKind): FormSchema =>
  fieldSchema(checkSchema.properties[kind] as FormSchema);

/** Choices of constants become one enumeration. */
function fieldSchema(schema: FormSchema & { anyOf?: FormSchema[] }): FormSchema {
  const { anyOf, properties, ...rest } = schema;
  if (anyOf?.every((one) => one.const !== undefined))
    return { ...rest, type: "string", enum: anyOf.map((one) => one.const) };
  if (properties === undefined) return schema;
  const fields = Object.entries(properties).map(([key, one]) => [key, fieldSchema(one)] as const);
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** Value with which a check of a kind begins. */
export function beginningOf(kind: CheckKind): unknown {
  const schema = schemaOfCheck(kind);
  if (schema.properties !== undefined) return initialValue(schema);
  return schema.type === "string" && schema.enum === undefined ? "" : undefined;
}

/** Faults of a check that is filled in. */
export function faultsOfCheck({ kind, value }: CheckDraft): FormFaults {
  if (isEmpty(value)) return {};
  const schema: FormSchema = {
    type: "object",
    properties: { [kind]: schemaOfCheck(kind) },
    required: [kind],
  };
  return checkInput(schema, { [kind]: value });
}

const isEmpty = (value: unknown): boolean => value === undefined || value === "";

/** True if each check that is filled in is complete. */
export const areComplete = (checks: readonly CheckDraft[]): boolean =>
  checks.every((check) => Object.keys(faultsOfCheck(check)).length === 0);

/** A case in a form: the usual fields, and everything else as JSON. */
export interface CaseDraft {
  id: string;
  query: string;
  expected: string;
  tags: string[];
  checks: CheckDraft[];
  more: string;
}

/** Returns the form of a case. */
export function draftOf(one: Readonly<Record<string, unknown>>): CaseDraft {
  const { id, query, expected, tags, checks, ...others } = one;
  const entries = Array.isArray(checks) ? (checks as Record<string, unknown>[]) : [];
  const simple: CheckDraft[] = [];
  const rest: unknown[] = [];
  for (const entry of entries) {
    const { name, ...values } = entry;
    const kind = checkKinds.find((one) => values[one] !== undefined);
    const isNamed = name === undefined || typeof name === "string";
    if (kind !== undefined && Object.keys(values).length === 1 && isNamed)
      simple.push({
        key: simple.length,
        kind,
        value: values[kind],
        ...(typeof name === "string" && { name }),
      });
    else rest.push(entry);
  }
  const kept = Object.fromEntries(
    Object.entries({ ...others, ...(rest.length > 0 && { checks: rest }) }).filter(
      ([, value]) => !(Array.isArray(value) && value.length === 0),
    ),
  );
  return {
    id: typeof id === "string" ? id : "",
    query: typeof query === "string" ? query : "",
    expected: typeof expected === "string" ? expected : "",
    tags: Array.isArray(tags) ? tags.map(String) : [],
    checks: simple,
    more: Object.keys(kept).length === 0 ? "" : JSON.stringify(kept, null, 2),
  };
}

/** Returns the case of a form; undefined if its JSON can't be read. */
export function caseOf({
  id,
  query,
  expected,
  tags,
  checks,
  more,
}: CaseDraft): Record<string, unknown> | undefined {
  const others = readObject(more);
  if (others === undefined) return undefined;
  const listed = Array.isArray(others.checks) ? others.checks : [];
  const all = [...entriesOf(checks), ...listed];
  return {
    ...others,
    ...(id.trim() !== "" && { id: id.trim() }),
    ...(query !== "" && { query }),
    ...(expected !== "" && { expected }),
    ...(tags.length > 0 && { tags }),
    ...(all.length > 0 && { checks: all }),
  };
}

/** The checks of a form that are filled in, as a file has them. */
export const entriesOf = (checks: readonly CheckDraft[]): Record<string, unknown>[] =>
  checks.flatMap(({ kind, value, name }) =>
    isEmpty(value) ? [] : [{ [kind]: value, ...(name !== undefined && { name }) }],
  );

function readObject(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
