/** Types of metadata values that can be compared. */
export type Scalar = string | number | boolean;

/**
 * Conditions on a row's metadata that must all hold, by key; a dot separates the keys of nested objects. A row without the key, or with a
 * value of another type, doesn't pass. A list passes if one of its members does.
 */
export type VectorFilter = Readonly<Record<string, FieldCondition>>;

/** Texts and numbers can be ordered (texts by code point), booleans only compared for equality. */
export type FieldCondition =
  | { eq: Scalar }
  | { in: readonly Scalar[] }
  | { gt?: string | number; gte?: string | number; lt?: string | number; lte?: string | number };
