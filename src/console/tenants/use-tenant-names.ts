import { useQueries, useQuery } from "@tanstack/react-query";
import { usePlatform } from "../platform/use-platform.ts";
import { useSession } from "../session/session.tsx";

/** Returns the newest tenants of the platform; undefined while they are read, and if the session is no operator of it. */
export function useNewestTenants() {
  const platform = usePlatform();
  const isKnown = useKnowsTenants();
  const query = useQuery({
    queryKey: ["platform", "admin", "tenant-names", ""],
    queryFn: () => platform.searchTenants({ limit: 50 }),
    enabled: isKnown,
    staleTime: 60_000,
  });
  return query.data?.tenants;
}

/** Returns the names of tenants by their id. A tenant that the platform doesn't know has none: the gateway takes any id. */
export function useTenantNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const platform = usePlatform();
  const isKnown = useKnowsTenants();
  const newest = useNewestTenants();
  const { desk = [] } = useSession().signedIn;
  const names = new Map([
    ...desk.map(({ id, name }): [string, string] => [id, name]),
    ...(newest ?? []).map(({ id, display_name }): [string, string] => [id, display_name]),
  ]);
  const missing = newest === undefined ? [] : [...new Set(ids)].filter((id) => id !== "" && !names.has(id));
  const found = useQueries({
    queries: missing.map((id) => ({
      queryKey: ["platform", "admin", "tenant-names", "chosen", id],
      queryFn: () => platform.searchTenants({ search: id, limit: 1 }),
      enabled: isKnown,
      staleTime: 5 * 60_000,
    })),
  });
  for (const { data } of found) {
    for (const { id, display_name } of data?.tenants ?? []) names.set(id, display_name);
  }
  return names;
}

/** True if this session may read the names. */
export function useKnowsTenants(): boolean {
  const { state, signedIn } = useSession();
  return signedIn.operator && (state.services ?? []).includes("platform");
}
