import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../../api/use-server.tsx";

/** What a tenant used in a month; the current one without `period`. */
export function useUsage(tenantId: string, period?: string) {
  const platform = usePlatform(tenantId);
  return useQuery({
    queryKey: ["platform", tenantId, "usage", period ?? "now"],
    queryFn: () => platform.usage(period),
  });
}
