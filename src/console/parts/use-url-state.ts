import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** A piece of the page's state that stands in its address, so that it can be shared and gone back to; "" is absent. */
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
