import type { Variables } from "../../../manifest/variables.ts";

/** The variables that a piece of work looked at, with the values it found. */
export type SeenVariables = ReadonlyMap<string, string | undefined>;

/** Variables that remember who looked at which, so that a change of one concerns only those. */
export interface ObservedVariables {
  read: Variables;
  /** Does a piece of work and says what it looked at; the work must not wait for anything. */
  during<T>(work: () => T): { result: T; seen: SeenVariables };
  /** Whether any of them has another value now. */
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
