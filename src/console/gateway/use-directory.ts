import { useQuery } from "@tanstack/react-query";
import { useGateway } from "./use-gateway.ts";

export const directoryKey = ["gateway", "directory"] as const;

/** Returns the newest accounts with their bindings, for names and suggestions. */
export function useDirectory() {
  const gateway = useGateway();
  return useQuery({
    queryKey: [...directoryKey, "newest"],
    queryFn: () => gateway.directory({ limit: 200 }),
    staleTime: 60_000,
  });
}
