import { KindGuard, type TObject, type TSchema } from "@sinclair/typebox";
import { didYouMean } from "../../kit/text/did-you-mean.ts";

/** The variant that a mapping's discriminating keys select, or the key that selects none and what is wrong with it. */
export type Choice = { chosen: TObject } | { key: string; message: string; advice: string };

/** The keys that distinguish variants, in the order in which they are checked. */
const tellingKeys = ["type", "name"];

/** Selects among variants of a mapping that differ in literal properties, so that faults refer only to the intended variant. */
export function chooseVariant(variants: readonly TObject[], value: Record<string, unknown>): Choice {
  let candidates = variants;
  for (const key of tellingKeys) {
    const names = candidates.flatMap((variant) => literalOf(variant, key) ?? []);
    if (names.length === 0) continue;
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    const matching = candidates.filter((variant) => (literalOf(variant, key) ?? given) === given);
    if (matching.length === 0) return { key, ...refusal(given, [...new Set(names)]) };
    candidates = matching;
  }
  const chosen = candidates[0];
  if (chosen === undefined) throw new TypeError("A union of mappings needs a variant.");
  return { chosen };
}

function literalOf(variant: TObject, key: string): string | undefined {
  const property: TSchema | undefined = variant.properties[key];
  if (property === undefined || !KindGuard.IsLiteral(property)) return undefined;
  return typeof property.const === "string" ? property.const : undefined;
}

function refusal(given: unknown, names: readonly string[]): { message: string; advice: string } {
  const listed = names.map((name) => `\`${name}\``).join(", ");
  const wanted = names.length === 1 ? listed : `one of ${listed}`;
  return given === undefined
    ? { message: `is required: ${wanted}`, advice: "" }
    : { message: `must be ${wanted}`, advice: suggestion(given, names) };
}

/** Returns "; did you mean `x`?" if a name is close to a known one or the first word of one, otherwise an empty text. */
export function suggestion(given: unknown, known: readonly string[]): string {
  if (typeof given !== "string") return "";
  const guess = didYouMean(given, known) ?? known.find((name) => name.startsWith(`${given}_`));
  return guess === undefined ? "" : `; did you mean \`${guess}\`?`;
}
