import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** Page state in several query parameters, changed together; "" removes one. */
export function useUrlValues(): [
  (name: string) => string,
  (changes: Readonly<Record<string, string>>) => void,
] {
  const [parameters, setParameters] = useSearchParams();
  const read = useCallback((name: string) => parameters.get(name) ?? "", [parameters]);
  const write = useCallback(
    (changes: Readonly<Record<string, string>>) =>
      setParameters(
        (now) => {
          const next = new URLSearchParams(now);
          for (const [name, value] of Object.entries(changes)) {
            if (value === "") next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true },
      ),
    [setParameters],
  );
  return [read, write];
}
