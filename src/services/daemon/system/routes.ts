import { Elysia } from "elysia";
import { ProviderList } from "../../../contracts/daemon/models/providers.ts";
import {
  DoctorReport,
  Health,
  RetriedWork,
  RetriedWorkInput,
  SystemStatus,
} from "../../../contracts/daemon/system.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { requireMachineOwner } from "../operations/require-machine-owner.ts";
import { examine } from "./doctor.ts";
import { listProviders } from "./list-providers.ts";
import type { SystemDeps } from "./status.ts";
import { readHealth, readStatus } from "./status.ts";

/** Routes for health (on both paths), status, providers and doctor. */
export const systemRoutes = (deps: SystemDeps) =>
  new Elysia()
    .use(jsonRoutes())
    .get("/health", async () => readHealth(deps), {
      response: Health,
      detail: { tags: ["system"], operationId: "health", summary: "Liveness, for containers", security: [] },
    })
    .get("/v1/health", async () => readHealth(deps), {
      response: Health,
      detail: { tags: ["system"], operationId: "getHealth", summary: "Liveness", security: [] },
    })
    .get("/v1/system/status", async () => readStatus(deps), {
      response: SystemStatus,
      detail: { tags: ["system"], operationId: "getStatus", summary: "Returns the system status" },
    })
    .get("/v1/system/providers", async () => listProviders(deps), {
      response: ProviderList,
      detail: {
        tags: ["system"],
        operationId: "listProviders",
        summary: "Lists model providers with state, agents and prices",
        description: "Returns the results of previous calls and probes. Sends no new requests.",
      },
    })
    .get("/v1/system/doctor", async ({ request }) => examine(deps.checkups(), request.signal), {
      response: DoctorReport,
      detail: {
        tags: ["system"],
        operationId: "runDoctor",
        summary: "Checks everything that agents depend on",
      },
    })
    .post(
      "/v1/system/doctor/retry",
      async ({ body, call }) => {
        requireMachineOwner(call);
        return deps.retryParked(body);
      },
      {
        ...jsonBody(RetriedWorkInput),
        response: RetriedWork,
        detail: {
          tags: ["system"],
          operationId: "retryParkedWork",
          summary: "Lets work be done again that was parked after three interruptions",
          description: "Only for the owner of this machine.",
        },
      },
    );
