import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../use-platform.ts";

/** A tenant's usage in a month; the current month by default. */
export function useUsage(tenantId: string, period?: string) {
  const platform = usePlatform(tenantId);
  return useQuery({
    queryKey: ["platform", tenantId, "usage", period ?? "now"],
    queryFn: () => platform.usage(period),
  });
}
