import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../api/use-server.tsx";

/** Usage of all tenants in a month; the current month by default. */
export function usePlatformUsage(month?: string) {
  const platform = usePlatform();
  return useQuery({
    queryKey: ["platform", "admin", "usage", month ?? ""],
    queryFn: () => platform.platformUsage(month),
  });
}
