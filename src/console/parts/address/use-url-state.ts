import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** Page state in a query parameter, so that it can be shared and restored by the history. "" means absent. */
export function useUrlState(name: string, { push = false } = {}): [string, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (value: string) => setParameters((now) => withParameters(now, { [name]: value }), { replace: !push }),
    [name, push, setParameters],
  );
  return [parameters.get(name) ?? "", set];
}

/** Page state in several query parameters that change together, such as a submitted form. "" means absent. */
export function useUrlFields<Name extends string>(
  names: readonly Name[],
): [Readonly<Record<Name, string>>, (values: Partial<Record<Name, string>>) => void] {
  const [read, write] = useUrlValues();
  const values = Object.fromEntries(names.map((name) => [name, read(name)]));
  return [values as Record<Name, string>, write];
}

/** Page state in query parameters whose names the page computes. */
export function useUrlValues(): [
  read: (name: string) => string,
  write: (changed: Readonly<Record<string, string | undefined>>) => void,
] {
  const [parameters, setParameters] = useSearchParams();
  const read = useCallback((name: string) => parameters.get(name) ?? "", [parameters]);
  const write = useCallback(
    (changed: Readonly<Record<string, string | undefined>>) =>
      setParameters((now) => withParameters(now, changed), { replace: true }),
    [setParameters],
  );
  return [read, write];
}

function withParameters(
  now: URLSearchParams,
  changed: Readonly<Record<string, string | undefined>>,
): URLSearchParams {
  const next = new URLSearchParams(now);
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  }
  return next;
}
