import {
  boundsOf,
  type FieldCondition,
  matchesFilter,
  type Scalar,
  type VectorFilter,
} from "../../stores/filters/vector-filter.ts";

/**
 * Combines filters so that all of them apply: a question can narrow a pipeline's filter but never widen it. Undefined if nothing can match.
 */
export function combineFilters(filters: readonly VectorFilter[]): VectorFilter | undefined {
  const combined: Record<string, FieldCondition> = Object.create(null);
  for (const filter of filters) {
    for (const [name, condition] of Object.entries(filter)) {
      const known = combined[name];
      const both = known === undefined ? condition : bothOf(known, condition);
      if (both === undefined) return undefined;
      combined[name] = both;
    }
  }
  return combined;
}

/** Returns undefined if no value meets both. */
function bothOf(one: FieldCondition, other: FieldCondition): FieldCondition | undefined {
  const choices = choicesOf(one) ?? choicesOf(other);
  if (choices !== undefined) {
    const left = choices.filter((value) => meets(value, one) && meets(value, other));
    return left.length === 0 ? undefined : { in: left };
  }
  return tighter(one as Range, other as Range);
}

function choicesOf(condition: FieldCondition): readonly Scalar[] | undefined {
  if ("eq" in condition) return [condition.eq];
  return "in" in condition ? condition.in : undefined;
}

const meets = (value: Scalar, condition: FieldCondition) => matchesFilter({ value }, { value: condition });

type Range = Exclude<FieldCondition, { eq: Scalar } | { in: readonly Scalar[] }>;

/** The tighter of two bounds on the same side. Bounds of numbers and of texts exclude each other. */
function tighter(one: Range, other: Range): Range | undefined {
  const range: Record<string, string | number> = {};
  for (const [kind, bound] of [...boundsOf(one), ...boundsOf(other)]) {
    if (Object.values(range).some((known) => typeof known !== typeof bound)) return undefined;
    const known = range[kind];
    const isTighter = known === undefined || meets(bound, { [kind]: known } as Range);
    if (isTighter) range[kind] = bound;
  }
  return range as Range;
}
