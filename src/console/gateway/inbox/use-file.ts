import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { refusalOf } from "../../../contracts/refusal.ts";
import { useGateway } from "../use-gateway.ts";

/** A file that has just arrived may still be on its way from its provider. */
const triesMax = 5;

/** Reads a file of a message, once it is wanted. */
export function useFile(id: string, isWanted: boolean) {
  const gateway = useGateway();
  return useQuery({
    // Not among the gateway's lists, which are read again with each change: a file never changes.
    queryKey: ["gateway-file", id],
    queryFn: async () => (await gateway.getMedia(id)).blob(),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: (tries, thrown) => tries < triesMax && refusalOf(thrown)?.retryAfterSeconds !== undefined,
    retryDelay: (_, thrown) => 1000 * (refusalOf(thrown)?.retryAfterSeconds ?? 0),
  });
}

/** Returns an address for a blob within this page, while the component is shown. */
export function useBlobUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return url;
}
