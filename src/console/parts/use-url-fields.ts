import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** Page state in several query parameters that change together, such as a submitted form. "" means absent. */
export function useUrlFields<Name extends string>(
  names: readonly Name[],
): [Readonly<Record<Name, string>>, (values: Partial<Record<Name, string>>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const values = Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? ""]));
  const set = useCallback(
    (changed: Partial<Record<Name, string>>) =>
      setParameters(
        (now) => {
          const next = new URLSearchParams(now);
          for (const [name, value] of Object.entries<string | undefined>(changed)) {
            if (value === undefined || value === "") next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true },
      ),
    [setParameters],
  );
  return [values as Record<Name, string>, set];
}
