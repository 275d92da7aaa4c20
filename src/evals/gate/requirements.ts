import type { Requirement } from "./judge-requirement.ts";

/** The requirements of two versions; of the same eval, the stricter of both. */
export function together(one: readonly Requirement[], other: readonly Requirement[]): Requirement[] {
  const byEval = Map.groupBy([...one, ...other], (required) => required.eval);
  return [...byEval].map(([name, both]) => ({
    eval: name,
    min_score: Math.max(...both.map(({ min_score: score }) => score)),
    no_regressions: both.some(({ no_regressions: no }) => no),
  }));
}

/** Returns true if a version that meets `standing` meets these as well. */
export const covers = (standing: readonly Requirement[], own: readonly Requirement[]): boolean =>
  own.every((wanted) =>
    standing.some(
      (held) =>
        held.eval === wanted.eval &&
        held.min_score >= wanted.min_score &&
        (held.no_regressions || !wanted.no_regressions),
    ),
  );

export const isSame = (one: readonly Requirement[], other: readonly Requirement[]) =>
  JSON.stringify(one) === JSON.stringify(other);

/** Path of a requirement in a manifest whose own requirements are `own`; that of the section for one of the version in service. */
export function placeOf(own: readonly Requirement[], { eval: name }: Requirement): string {
  const index = own.findIndex((required) => required.eval === name);
  return index === -1 ? "spec.release" : `spec.release.requires[${index}]`;
}
