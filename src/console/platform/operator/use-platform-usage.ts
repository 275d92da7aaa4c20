import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../api/use-server.tsx";

/** What everybody used in a month; the current one without `month`. */
export function usePlatformUsage(month?: string) {
  const platform = usePlatform();
  return useQuery({
    queryKey: ["platform", "admin", "usage", month ?? ""],
    queryFn: () => platform.platformUsage(month),
  });
}
