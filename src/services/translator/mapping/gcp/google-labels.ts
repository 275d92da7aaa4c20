import { ownerKeys } from "../owner-keys.ts";

/**
 * Returns the labels that Google Cloud accepts: keys and values of lower-case letters, digits, `-` and `_`; keys begin with a letter. Those that
 * mark resources as Argosy's are left out.
 */
export const googleLabels = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels).filter(
      ([key, value]) =>
        !ownerKeys.has(key) && /^[a-z][a-z0-9_-]{0,62}$/.test(key) && /^[a-z0-9_-]{0,63}$/.test(value),
    ),
  );
