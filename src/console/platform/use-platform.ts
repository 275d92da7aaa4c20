import { type PlatformClient, platformClient } from "../../contracts/platform/clients/client.ts";
import { useServer } from "../api/use-server.tsx";

/** Returns the platform's client as the signed-in person; with `tenantId` for one tenant's resources. */
export const usePlatform = (tenantId = ""): PlatformClient =>
  useServer().client(
    "platform",
    (address) => platformClient({ ...address, ...(tenantId === "" ? {} : { tenantId }) }),
    tenantId,
  );
