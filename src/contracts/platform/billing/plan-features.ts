import type { Problem } from "../../../kit/app-error.ts";

/** The features of a plan that the platform itself reads, with what holds where a plan doesn't say. */
export const documentFeatures = {
  documents_max: { otherwise: 1000, max: 1_000_000_000 },
  document_bytes_max: { otherwise: 8 * 1024 * 1024, max: 64 * 1024 * 1024 },
} as const;
export type DocumentFeature = keyof typeof documentFeatures;

/** How much a plan lets a tenant keep. Null: no limit but the runtime's own; 0: nothing. */
export type DocumentLimits = Record<DocumentFeature, number | null>;

const names = Object.keys(documentFeatures) as DocumentFeature[];

/** The limits that `spec.features` of a plan sets. */
export function documentLimitsOf(features: Readonly<Record<string, unknown>>): DocumentLimits {
  const limits = names.map((name) => {
    const value = Object.hasOwn(features, name) ? features[name] : undefined;
    return [name, isLimit(name, value) ? value : documentFeatures[name].otherwise] as const;
  });
  return Object.fromEntries(limits) as DocumentLimits;
}

/** The faults of features that the platform reads. */
export const featureProblems = (features: Readonly<Record<string, unknown>>): Problem[] =>
  names
    .filter((name) => Object.hasOwn(features, name) && !isLimit(name, features[name]))
    .map((name) => ({
      path: `spec.features.${name}`,
      message: `must be null or an integer from 0 to ${documentFeatures[name].max}, got ${JSON.stringify(features[name])}`,
    }));

function isLimit(name: DocumentFeature, value: unknown): value is number | null {
  if (value === null) return true;
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= documentFeatures[name].max;
}
