import type { Problem } from "../../../kit/app-error.ts";

/** The features of a plan that the platform itself reads, with what holds where a plan doesn't say. */
export const documentFeatures = {
  documents_max: { otherwise: 1000, max: 1_000_000_000 },
  document_bytes_max: { otherwise: 8 * 1024 * 1024, max: 64 * 1024 * 1024 },
} as const;
export type DocumentFeature = keyof typeof documentFeatures;

/** The plan of tenants that chose none. */
export const freePlanId = "plan_free";

/** The feature of a base plan that limits all that a tenant stores. */
export const storageFeature = "storage_bytes_max";
export const storageBytesMax = 2 ** 50;
/** Bytes of all that a tenant stores, where its plan doesn't say: less on the plan of those who chose none. */
const storageOtherwise = { free: 1024 ** 3, other: 10 * 1024 ** 3 };

/** Bytes that a plan lets a tenant store in all. Null: no limit. */
export function storageLimitOf(features: Readonly<Record<string, unknown>>, isFree: boolean): number | null {
  const value = Object.hasOwn(features, storageFeature) ? features[storageFeature] : undefined;
  if (isWithin(value, storageBytesMax)) return value;
  return isFree ? storageOtherwise.free : storageOtherwise.other;
}

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
  [
    ...names.map((name) => [name, documentFeatures[name].max] as const),
    [storageFeature, storageBytesMax] as const,
  ]
    .filter(([name, max]) => Object.hasOwn(features, name) && !isWithin(features[name], max))
    .map(([name, max]) => ({
      path: `spec.features.${name}`,
      message: `must be null or an integer from 0 to ${max}, got ${JSON.stringify(features[name])}`,
    }));

const isLimit = (name: DocumentFeature, value: unknown): value is number | null =>
  isWithin(value, documentFeatures[name].max);

function isWithin(value: unknown, max: number): value is number | null {
  if (value === null) return true;
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}
