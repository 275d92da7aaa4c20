import type { Variables } from "../../../manifest/yaml/variables.ts";

/** Variable that changes with the providers of files and of the API. No file can name it: variables are written in capitals. */
export const providersRevision = "providers.revision";

/** Variable that changes with the skills of the workspace. */
export const skillsRevision = "skills.revision";

/** Variables that a piece of work read, with the values it found. */
export type SeenVariables = ReadonlyMap<string, string | undefined>;

/** Variables that record which work read them, so that a change affects only that work. */
export interface ObservedVariables {
  read: Variables;
  /** Runs `work` and returns the variables it read. `work` must be synchronous. */
  during<T>(work: () => T): { result: T; seen: SeenVariables };
  /** Returns true if any of these variables has a different value now. */
  haveChanged(seen: SeenVariables): boolean;
}

export function observeVariables(variables: Variables): ObservedVariables {
  let watching: Map<string, string | undefined> | undefined;
  return {
    read(name) {
      const value = variables(name);
      watching?.set(name, value);
      return value;
    },
    during(work) {
      const seen = new Map<string, string | undefined>();
      watching = seen;
      try {
        return { result: work(), seen };
      } finally {
        watching = undefined;
      }
    },
    haveChanged(seen) {
      for (const [name, value] of seen) if (variables(name) !== value) return true;
      return false;
    },
  };
}
