import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** Page state in a query parameter, so that it can be shared and restored by the history. "" means absent. */
export function useUrlState(name: string, { push = false } = {}): [string, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (value: string) =>
      setParameters(
        (now) => {
          const next = new URLSearchParams(now);
          if (value === "") next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: !push },
      ),
    [name, push, setParameters],
  );
  return [parameters.get(name) ?? "", set];
}
