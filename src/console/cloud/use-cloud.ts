import { useQuery } from "@tanstack/react-query";
import { type CloudClient, cloudClient } from "../../contracts/cloud/client.ts";
import { useServer } from "../api/use-server.tsx";
import { useSession } from "../session/session.tsx";

/** Returns the cloud's client, which acts as the person who signed in to the cloud. */
export const useCloud = (): CloudClient => useServer().client("cloud", cloudClient);

export const orgsKey = ["cloud", "orgs"];

/** Reads the caller's orgs, with their role in each. */
export function useOrgs() {
  const cloud = useCloud();
  const { signedIn } = useSession();
  return useQuery({
    queryKey: orgsKey,
    queryFn: () => cloud.orgs(),
    enabled: signedIn.cloud === true,
  });
}
