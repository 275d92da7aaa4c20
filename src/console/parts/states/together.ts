import type { LoadedQuery } from "./loaded.tsx";

type Queries = Readonly<Record<string, LoadedQuery<unknown>>>;
type DataOf<Each extends Queries> = { [Name in keyof Each]: NonNullable<Each[Name]["data"]> };

/** Joins queries whose results make one statement: it has data when all have, and has failed when one without data has failed. */
export function together<Each extends Queries>(queries: Each): LoadedQuery<DataOf<Each>> {
  const entries = Object.entries(queries);
  const missing = entries.filter(([, { data }]) => data === undefined).map(([, query]) => query);
  const failed = missing.find(({ isError }) => isError);
  return {
    data:
      missing.length === 0
        ? (Object.fromEntries(entries.map(([name, { data }]) => [name, data])) as DataOf<Each>)
        : undefined,
    isError: failed !== undefined,
    error: failed?.error ?? null,
    refetch: () => Promise.all(missing.map(({ refetch }) => refetch())),
  };
}
