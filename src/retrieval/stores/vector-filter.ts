/** What metadata can be compared by. */
export type Scalar = string | number | boolean;

/**
 * Conditions on a row's metadata that must all hold, by the name of a key; a dot names a key of a nested object. A row without
 * the key, or with a value of another type, doesn't pass. A list passes when one of its members does.
 */
export type VectorFilter = Readonly<Record<string, FieldCondition>>;

/** Texts and numbers have an order (texts by code point), booleans only equality. */
export type FieldCondition =
  | { eq: Scalar }
  | { in: readonly Scalar[] }
  | { gt?: string | number; gte?: string | number; lt?: string | number; lte?: string | number };
