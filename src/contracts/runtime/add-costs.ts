/** Adds the costs of two usages; null if one of them is unknown. */
export const addCosts = (one: number | null | undefined, other: number | null | undefined): number | null =>
  typeof one === "number" && typeof other === "number" ? one + other : null;
