import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { CoverageMatrix } from "../../../contracts/translator/coverage.ts";
import { SpecSubmission, Translation } from "../../../contracts/translator/translation.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { inPieces, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { defaultProvider, getProvider, translate } from "./cloud-provider.ts";
import { coverageOf } from "./coverage-matrix.ts";
import { readSpec, type SpecManifests } from "./read-spec.ts";

const tags = ["translation"];

export const ProviderQuery = Type.Object({
  provider: Type.Optional(Type.String({ description: "ID of the cloud provider. Default: `gcp`." })),
});

/** Bytes of a JSON body with a manifest: 1 MiB of text, which JSON may write at twice its size. */
export const manifestBytesMax = 2 * 1024 * 1024 + 1024;

/** Routes that say what a manifest becomes, and store nothing. */
export const translationRoutes = ({ manifests }: { manifests: SpecManifests }) =>
  new Elysia({ prefix: "/v1" })
    .use(jsonRoutes(manifestBytesMax))
    .post(
      "/translate",
      async ({ body, query }) => {
        const provider = getProvider(query.provider ?? defaultProvider);
        const spec = await inPieces(readSpec(manifests, body.yaml));
        await othersTurn();
        return translate(provider, spec);
      },
      {
        ...jsonBody(SpecSubmission),
        query: ProviderQuery,
        response: Translation,
        detail: {
          tags,
          operationId: "translate",
          summary: "Translates a manifest to cloud resources and lists the gaps",
        },
      },
    )
    .get("/coverage", async ({ query }) => coverageOf(getProvider(query.provider ?? defaultProvider)), {
      query: ProviderQuery,
      response: CoverageMatrix,
      detail: {
        tags,
        operationId: "getCoverage",
        summary: "Returns a cloud's coverage of manifest sections",
      },
    });
