import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  ChunkList,
  CollectionDeleted,
  CollectionList,
  CollectionName,
  CollectionView,
  DocumentId,
  DocumentList,
  DocumentStored,
  DocumentView,
  QueryAnswer,
  QueryRequest,
} from "../../../contracts/daemon/rag/rag.ts";
import { DocumentTenants } from "../../../contracts/runtime/documents.ts";
import { TenantOwner } from "../../../contracts/runtime/runs.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { type Upload, uploadOf } from "../../../http/bodies/upload.ts";
import { holdOpen } from "../../../http/call.ts";
import { pageLimit } from "../../../http/paging.ts";
import { callContext, jsonRoutes } from "../../../http/route-plugins.ts";
import { deleteCollection, getCollection, listCollections } from "../rag/collections/collections.ts";
import { deleteDocument, getDocument, listChunks, listDocuments } from "../rag/collections/documents.ts";
import { answerQuery } from "../rag/query-request.ts";
import { requireRuntimeToken } from "./require-runtime-token.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";
import { requireTenant } from "./tenant-agents.ts";
import { documentTenants, forgetDocuments, makeCollection, putTenantDocument } from "./tenant-documents.ts";

const prefix = "/v1/internal/documents";
const hidden = { detail: { hide: true } };

const TenantPath = Type.Object({ tenant: Type.String() });
const CollectionPath = Type.Object({ tenant: Type.String(), collection: CollectionName });
const DocumentPath = Type.Object({ tenant: Type.String(), collection: CollectionName, id: DocumentId });

const cursor = Type.Optional(Type.String({ maxLength: 2048 }));
const PageQuery = Type.Object({ limit: pageLimit({ default: 50, max: 200 }), cursor });

const whole = Type.Optional(Type.String({ pattern: "^[0-9]{1,10}$", fault: "must be a whole number" }));
const OwnerQuery = Type.Object({ owner: Type.Optional(TenantOwner) });
const QuotaQuery = Type.Object({ collections_max: whole, documents_max: whole });

const PutQuery = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 1024 })),
  metadata: Type.Optional(Type.String({ maxLength: 8192 })),
  ...QuotaQuery.properties,
  ...OwnerQuery.properties,
});

/** Routes by which control planes keep tenants' documents; `token` as for the runtime's other routes. */
export const runtimeDocumentRoutes = (deps: RuntimeDeps, token?: string) => {
  const { documents: rag, owners, stopping } = deps;
  return new Elysia({ prefix })
    .use(jsonRoutes())
    .onTransform({ as: "local" }, requireRuntimeToken(token))
    .onTransform({ as: "local" }, requireSoundTenant)
    .get("", async ({ query }) => documentTenants(rag, query.after), {
      query: Type.Object({ after: Type.Optional(Type.String({ maxLength: 64 })) }),
      response: DocumentTenants,
      ...hidden,
    })
    .delete(
      "/:tenant",
      async ({ params, set }) => {
        await forgetDocuments(rag, params.tenant);
        set.status = 204;
      },
      { params: TenantPath, ...hidden },
    )
    .post(
      "/:tenant/query",
      async ({ params, query, body, request, call }) => {
        holdOpen(call, request);
        owners.told(params.tenant, query.owner);
        return answerQuery(rag, params.tenant, body, AbortSignal.any([request.signal, stopping]));
      },
      { params: TenantPath, query: OwnerQuery, ...jsonBody(QueryRequest), response: QueryAnswer, ...hidden },
    )
    .get(
      "/:tenant/collections",
      async ({ params }) => ({ collections: await listCollections(rag, params.tenant) }),
      { params: TenantPath, response: CollectionList, ...hidden },
    )
    .get(
      "/:tenant/collections/:collection",
      async ({ params }) => getCollection(rag, params.tenant, params.collection),
      { params: CollectionPath, response: CollectionView, ...hidden },
    )
    .put(
      "/:tenant/collections/:collection",
      async ({ params, query, request }) => makeCollection(rag, params, query, request.signal),
      { params: CollectionPath, query: QuotaQuery, response: CollectionView, ...hidden },
    )
    .delete(
      "/:tenant/collections/:collection",
      async ({ params }) => deleteCollection(rag, params.tenant, params.collection),
      { params: CollectionPath, response: CollectionDeleted, ...hidden },
    )
    .get(
      "/:tenant/collections/:collection/documents",
      async ({ params, query }) => listDocuments(rag, params.tenant, params.collection, query),
      { params: CollectionPath, query: PageQuery, response: DocumentList, ...hidden },
    )
    .get(
      "/:tenant/collections/:collection/documents/:id",
      async ({ params }) => getDocument(rag, params.tenant, params),
      { params: DocumentPath, response: DocumentView, ...hidden },
    )
    .get(
      "/:tenant/collections/:collection/documents/:id/chunks",
      async ({ params, query }) => listChunks(rag, params.tenant, params, query),
      { params: DocumentPath, query: PageQuery, response: ChunkList, ...hidden },
    )
    .delete(
      "/:tenant/collections/:collection/documents/:id",
      async ({ params, set }) => {
        await deleteDocument(rag, params.tenant, params);
        set.status = 204;
      },
      { params: DocumentPath, ...hidden },
    );
};

/** The route whose body is a file. */
export const runtimeUploadRoutes = (deps: RuntimeDeps, token?: string) =>
  new Elysia({ prefix })
    .use(callContext())
    .onParse(({ request, call }) => uploadOf(request, call))
    .onTransform({ as: "local" }, requireRuntimeToken(token))
    .onTransform({ as: "local" }, requireSoundTenant)
    .put(
      "/:tenant/collections/:collection/documents/:id",
      async ({ params, query, body, request, call }) => {
        holdOpen(call, request);
        deps.owners.told(params.tenant, query.owner);
        const signal = AbortSignal.any([request.signal, deps.stopping]);
        return putTenantDocument(deps.documents, { ...params, query, upload: body as Upload, signal });
      },
      { params: DocumentPath, query: PutQuery, response: DocumentStored, ...hidden },
    );

/** The operator is not a tenant here. */
function requireSoundTenant({ params }: { params: unknown }): void {
  const tenant = (params as { tenant?: string } | undefined)?.tenant;
  if (tenant !== undefined) requireTenant(tenant);
}
