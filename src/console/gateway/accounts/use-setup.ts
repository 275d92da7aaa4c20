import { useQuery } from "@tanstack/react-query";
import { useGateway } from "../use-gateway.ts";

/** Reads what the gateway is set up for. It changes only with a restart. */
export function useSetup() {
  const gateway = useGateway();
  return useQuery({
    queryKey: ["gateway", "setup"],
    queryFn: gateway.setup,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
