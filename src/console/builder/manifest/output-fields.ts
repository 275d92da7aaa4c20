import { firstFreeName } from "../../../contracts/free-name.ts";
import { isRecord } from "../../parts/is-record.ts";
import { builderTexts as texts } from "../../texts/builder.ts";

/** Returns why a field of the shorthand cannot get this name beside the `others`; undefined if it can. */
export function fieldNameRefusal(name: string, others: readonly string[]): string | undefined {
  if (name.trim() === "") return texts.fieldUnnamed;
  if (others.includes(name)) return texts.fieldTaken(name);
  return name === "type" && others.length === 0 ? texts.fieldReserved : undefined;
}

/** Returns `field`, or the first of `field_2`, `field_3` … that no field has. */
export function freeFieldName(taken: readonly string[]): string {
  const spell = (number: number) => (number === 1 ? "field" : `field_${number}`);
  return firstFreeName(spell, (name) => taken.includes(name), taken.length);
}

/** Reads a JSON Schema as typed, or returns why it cannot be written to the manifest. */
export function readSchemaText(text: string): { schema: Record<string, unknown> } | { refusal: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) {
      return { refusal: texts.notJsonObject };
    }
    return { schema: value };
  } catch (thrown) {
    return { refusal: texts.notJson(thrown instanceof Error ? thrown.message : String(thrown)) };
  }
}
