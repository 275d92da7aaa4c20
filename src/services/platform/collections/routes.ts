import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  ChunkList,
  CollectionName,
  DocumentId,
  DocumentList,
  DocumentView,
  QueryAnswer,
} from "../../../contracts/daemon/rag/rag.ts";
import {
  CollectionQuery,
  TenantCollection,
  TenantCollectionList,
} from "../../../contracts/platform/collections.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import { limitTenantStorage } from "../room/tenant-room.ts";
import { limitTenantSearches, limitTenantWrites } from "../tenants/management-limit.ts";
import { tenantOwner } from "../tenants/tenant-owner.ts";
import type { CollectionDeps } from "./deps.ts";
import { tenantQuota } from "./document-limits.ts";
import { listCollections, presentCollection } from "./list-collections.ts";
import { reachDocuments } from "./reach-documents.ts";

const prefix = "/api/v1/collections";
const tags = ["documents"];

const CollectionPath = Type.Object({ collection: CollectionName });
export const DocumentPath = Type.Object({ collection: CollectionName, id: DocumentId });

const cursor = Type.Optional(
  Type.String({ maxLength: 2048, description: "Value of `next` from the previous page." }),
);
const PageQuery = Type.Object({ limit: pageLimit({ default: 50, max: 200 }), cursor });

/** A tenant's collections and their documents; the route that takes files is in `upload-routes.ts`. */
export const collectionRoutes = (deps: CollectionDeps) => {
  const { documents } = deps.runtime;
  return new Elysia({ prefix })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "documents"))
    .derive(limitTenantWrites(deps))
    .derive(limitTenantStorage(deps))
    .get("", async ({ tenant }) => listCollections(deps, tenant), {
      response: TenantCollectionList,
      detail: {
        tags,
        operationId: "listCollections",
        summary: "Lists the tenant's collections and limits",
      },
    })
    .get(
      "/:collection",
      async ({ tenant, params }) =>
        presentCollection(
          await reachDocuments(deps, () => documents.collection(tenant.tenantId, params.collection)),
        ),
      {
        params: CollectionPath,
        response: TenantCollection,
        detail: { tags, operationId: "getCollection", summary: "Returns a collection" },
      },
    )
    .put(
      "/:collection",
      async ({ tenant: { tenantId }, params }) => {
        const quota = await tenantQuota(deps, tenantId);
        return presentCollection(
          await reachDocuments(deps, () => documents.makeCollection(tenantId, params.collection, quota)),
        );
      },
      {
        params: CollectionPath,
        response: TenantCollection,
        detail: {
          tags,
          operationId: "putCollection",
          summary: "Creates an empty collection; an existing one is left unchanged",
        },
      },
    )
    .delete(
      "/:collection",
      async ({ tenant, params, set }) => {
        await reachDocuments(deps, () => documents.deleteCollection(tenant.tenantId, params.collection));
        set.status = 204;
      },
      {
        params: CollectionPath,
        response: { 204: Type.Void() },
        detail: { tags, operationId: "deleteCollection", summary: "Deletes a collection with its documents" },
      },
    )
    .get(
      "/:collection/documents",
      async ({ tenant, params, query }) =>
        reachDocuments(deps, () => documents.documents(tenant.tenantId, params.collection, pageOf(query))),
      {
        params: CollectionPath,
        query: PageQuery,
        response: DocumentList,
        detail: { tags, operationId: "listDocuments", summary: "Lists a collection's documents by id" },
      },
    )
    .get(
      "/:collection/documents/:id",
      async ({ tenant, params }) => reachDocuments(deps, () => documents.document(tenant.tenantId, params)),
      {
        params: DocumentPath,
        response: DocumentView,
        detail: { tags, operationId: "getDocument", summary: "Returns a document without its text" },
      },
    )
    .get(
      "/:collection/documents/:id/chunks",
      async ({ tenant, params, query }) =>
        reachDocuments(deps, () => documents.chunks(tenant.tenantId, params, pageOf(query))),
      {
        params: DocumentPath,
        query: PageQuery,
        response: ChunkList,
        detail: { tags, operationId: "listChunks", summary: "Returns the chunks of a document" },
      },
    )
    .delete(
      "/:collection/documents/:id",
      async ({ tenant, params, set }) => {
        await reachDocuments(deps, () => documents.deleteDocument(tenant.tenantId, params));
        set.status = 204;
      },
      {
        params: DocumentPath,
        response: { 204: Type.Void() },
        detail: { tags, operationId: "deleteDocument", summary: "Deletes a document" },
      },
    );
};

/** Searches, which change nothing and have a limit of their own. */
export const collectionQueryRoutes = (deps: CollectionDeps) =>
  new Elysia({ prefix })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "documents"))
    .derive(limitTenantSearches(deps))
    .post(
      "/:collection/query",
      async ({ tenant, params: { collection }, body, request, call }) => {
        holdOpen(call, request);
        const signal = AbortSignal.any([request.signal, deps.stopping]);
        const question = { ...body, collection };
        const owner = await tenantOwner(deps, tenant.tenantId);
        return reachDocuments(deps, () =>
          deps.runtime.documents.query(tenant.tenantId, question, { owner, signal }),
        );
      },
      {
        params: CollectionPath,
        ...jsonBody(CollectionQuery),
        response: QueryAnswer,
        detail: {
          tags,
          operationId: "queryCollection",
          summary: "Searches for the passages that best match a question",
        },
      },
    );

const pageOf = ({ limit, cursor }: { limit: number; cursor?: string | undefined }) => ({
  limit,
  ...(cursor !== undefined && { cursor }),
});
