import { useQuery } from "@tanstack/react-query";
import { useSession } from "../../session/session.tsx";
import { usePlatform } from "../use-platform.ts";

export const tenantsKey = ["platform", "tenants"] as const;

/** The tenants of the signed-in person. */
export function useTenants() {
  const platform = usePlatform();
  const { signedIn } = useSession();
  return useQuery({
    queryKey: tenantsKey,
    queryFn: platform.listTenants,
    enabled: signedIn.person !== undefined,
    staleTime: 60_000,
  });
}
