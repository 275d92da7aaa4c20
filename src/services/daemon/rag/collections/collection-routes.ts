import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  CollectionDeleted,
  CollectionList,
  CollectionName,
  CollectionView,
  JobAccepted,
  ReindexRequest,
} from "../../../../contracts/daemon/rag/rag.ts";
import { jsonBody } from "../../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import type { DaemonRag } from "../daemon-rag.ts";
import { deleteCollection, getCollection, listCollections, reindexLater } from "./collections.ts";

const tags = ["rag"];

export const CollectionPath = Type.Object({ collection: CollectionName });

/** Routes that list, read, delete and re-index collections. */
export const collectionRoutes = ({ rag }: { rag: DaemonRag }) =>
  new Elysia({ prefix: "/v1/rag/collections" })
    .use(jsonRoutes())
    .get("", async () => ({ collections: await listCollections(rag, operatorTenant) }), {
      response: CollectionList,
      detail: { tags, operationId: "listCollections", summary: "Lists collections by name" },
    })
    .get("/:collection", async ({ params }) => getCollection(rag, operatorTenant, params.collection), {
      params: CollectionPath,
      response: CollectionView,
      detail: { tags, operationId: "getCollection", summary: "Returns a collection" },
    })
    .delete("/:collection", async ({ params }) => deleteCollection(rag, operatorTenant, params.collection), {
      params: CollectionPath,
      response: CollectionDeleted,
      detail: { tags, operationId: "deleteCollection", summary: "Deletes a collection with its documents" },
    })
    .post(
      "/:collection/reindex",
      async ({ params, body, set }) => {
        const accepted = await reindexLater(rag, operatorTenant, params.collection, body);
        set.status = 202;
        set.headers.location = `/v1/rag/jobs/${accepted.job_id}`;
        return accepted;
      },
      {
        params: CollectionPath,
        ...jsonBody(ReindexRequest),
        response: { 202: JobAccepted },
        detail: {
          tags,
          operationId: "reindexCollection",
          summary: "Starts a job that rebuilds a collection's vectors",
          description:
            "Uses the texts in the vector store and the embedder in the current settings. The source files aren't needed. Until the job ends, the collection remains unchanged and read-only. If texts are missing, the request fails with 503 `vectors_elsewhere`, unless `forget_lost` is true.",
        },
      },
    );
