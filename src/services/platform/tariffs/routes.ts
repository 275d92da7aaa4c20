import { Type } from "@sinclair/typebox";
import { desc, lte } from "drizzle-orm";
import { Elysia } from "elysia";
import { Instant } from "../../../contracts/platform/billing/fields.ts";
import {
  KnownModelList,
  Tariff,
  TariffInput,
  TariffList,
} from "../../../contracts/platform/billing/tariffs.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { operatorCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import type { StoreDeps } from "../tables.ts";
import { fileTariff } from "./file-tariff.ts";
import { listModels, type ModelDeps } from "./list-models.ts";
import { presentTariff } from "./present-tariff.ts";
import { providerKey } from "./provider-key.ts";

const tags = ["tariffs"];

/** Operators' routes for tariffs. */
export const tariffRoutes = (deps: CredentialDeps & ModelDeps) =>
  new Elysia({ prefix: "/api/v1/admin" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .post(
      "/tariffs",
      async ({ operator, body, call, set }) => {
        set.status = 201;
        return fileTariff(deps, operator, body, call.requestId);
      },
      {
        ...jsonBody(TariffInput),
        response: { 201: Tariff },
        detail: { tags, operationId: "fileTariff", summary: "Creates a tariff; tariffs are immutable" },
      },
    )
    .get("/models", async () => listModels(deps), {
      response: KnownModelList,
      detail: {
        tags,
        operationId: "listModels",
        summary: "Lists providers and models that can have a tariff",
      },
    })
    .get("/tariffs", async ({ query }) => tariffsAt(deps, readInstant("at", query.at) ?? deps.clock.now()), {
      query: Type.Object({ at: Type.Optional(Instant) }),
      response: TariffList,
      detail: {
        tags,
        operationId: "listTariffs",
        summary: "Lists tariffs in force at an instant (default: now)",
      },
    });

/** Latest tariff of each model. A tariff stored under an alias of the provider counts for the same model. */
async function tariffsAt({ storage: { read, tables } }: StoreDeps, at: Date): Promise<TariffList> {
  const { tariffs } = tables;
  const rows = await read
    .select()
    .from(tariffs)
    .where(lte(tariffs.effectiveFrom, at))
    .orderBy(
      providerKey(tariffs.provider),
      tariffs.model,
      desc(tariffs.effectiveFrom),
      desc(tariffs.createdAt),
    );
  const all = rows.map(presentTariff);
  const latest = all.filter(
    ({ provider, model }, index) => provider !== all[index - 1]?.provider || model !== all[index - 1]?.model,
  );
  return { tariffs: latest };
}
