import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  SpecList,
  SpecReference,
  SpecSubmission,
  SubmittedSpec,
} from "../../../contracts/translator/translation.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { IfMatch, matchIn } from "../../../http/entity-tag.ts";
import { cursor } from "../../../http/page-cursor.ts";
import { wholeListLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Clock } from "../../../kit/clock.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { readSpec, type SpecManifests } from "../mapping/read-spec.ts";
import { manifestBytesMax } from "../mapping/routes.ts";
import { getSpec, listSpecs, putSpec, type SpecStorage, specTag } from "./store.ts";

const tags = ["specs"];

const SpecsQuery = Type.Object({ limit: wholeListLimit(), cursor });

export interface SpecPorts {
  storage: SpecStorage;
  manifests: SpecManifests;
  clock: Clock;
}

/** Routes that store manifests and give them back. */
export const specRoutes = ({ storage, manifests, clock }: SpecPorts) =>
  new Elysia({ prefix: "/v1/specs" })
    .use(jsonRoutes(manifestBytesMax))
    .post(
      "",
      async ({ body: { yaml }, request, set }) => {
        const { kind, name } = await inPieces(readSpec(manifests, yaml));
        await putSpec(storage, { kind, name, yaml }, clock.now(), matchIn(request.headers));
        set.headers.etag = specTag({ kind, name, yaml });
        return { kind, name };
      },
      {
        ...jsonBody(SpecSubmission),
        headers: IfMatch,
        response: SpecReference,
        detail: {
          tags,
          operationId: "submitSpec",
          summary: "Stores a manifest; one of the same kind and name is replaced",
        },
      },
    )
    .get("", async ({ query }) => listSpecs(storage, query), {
      query: SpecsQuery,
      response: SpecList,
      detail: {
        tags,
        operationId: "listSpecs",
        summary: "Lists the stored manifests by kind and name",
        description:
          "Returns all of them, at most 10,000, unless `limit` is smaller. `next_cursor` is present if there are more.",
      },
    })
    .get(
      "/:kind/:name",
      async ({ params: { kind, name }, set }) => {
        const spec = await getSpec(storage, kind, name);
        set.headers.etag = specTag(spec);
        return spec;
      },
      {
        response: SubmittedSpec,
        detail: {
          tags,
          operationId: "getSpec",
          summary: "Returns a stored manifest as submitted, with its ETag",
        },
      },
    );
