import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { documentContentTypes, readableFiles } from "../../../../contracts/daemon/rag/document-types.ts";
import {
  ChunkList,
  CollectionName,
  DocumentDeleted,
  DocumentId,
  DocumentList,
  DocumentStored,
  DocumentView,
  JobAccepted,
} from "../../../../contracts/daemon/rag/rag.ts";
import { type Upload, uploadOf } from "../../../../http/bodies/upload.ts";
import { pageLimit } from "../../../../http/paging.ts";
import { callContext, jsonRoutes } from "../../../../http/route-plugins.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import type { DaemonRag } from "../daemon-rag.ts";
import { CollectionPath } from "./collection-routes.ts";
import { deleteDocument, getDocument, listChunks, listDocuments } from "./documents.ts";
import { putDocument, type UploadDeps, UploadQuery } from "./put-document.ts";

const tags = ["rag"];

const DocumentPath = Type.Object({ collection: CollectionName, id: DocumentId });

const cursor = Type.Optional(
  Type.String({ maxLength: 2048, description: "Value of `next` from the previous page." }),
);

const PageQuery = Type.Object({ limit: pageLimit({ default: 50, max: 200 }), cursor });

/** Routes for the documents of a collection and their chunks. */
export const documentRoutes = ({ rag }: { rag: DaemonRag }) =>
  new Elysia({ prefix: "/v1/rag/collections/:collection/documents" })
    .use(jsonRoutes())
    .get("", async ({ params, query }) => listDocuments(rag, operatorTenant, params.collection, query), {
      params: CollectionPath,
      query: PageQuery,
      response: DocumentList,
      detail: { tags, operationId: "listDocuments", summary: "Lists a collection's documents by id" },
    })
    .get("/:id", async ({ params }) => getDocument(rag, operatorTenant, params), {
      params: DocumentPath,
      response: DocumentView,
      detail: { tags, operationId: "getDocument", summary: "Returns a document's details" },
    })
    .get("/:id/chunks", async ({ params, query }) => listChunks(rag, operatorTenant, params, query), {
      params: DocumentPath,
      query: PageQuery,
      response: ChunkList,
      detail: { tags, operationId: "listChunks", summary: "Returns the chunks of a document" },
    })
    .delete("/:id", async ({ params }) => deleteDocument(rag, operatorTenant, params), {
      params: DocumentPath,
      response: DocumentDeleted,
      detail: { tags, operationId: "deleteDocument", summary: "Deletes a document" },
    });

const fileBody = { schema: { type: "string", format: "binary" } } as const;

/** Route whose body is a file. */
export const uploadRoutes = (deps: UploadDeps) =>
  new Elysia({ prefix: "/v1/rag/collections/:collection/documents" })
    .use(callContext())
    // Reads the file only when there is room for it.
    .onParse(({ request, call }) => uploadOf(request, call))
    .put(
      "/:id",
      async ({ params, query, body, request, call, set }) => {
        const answer = await putDocument(deps, operatorTenant, {
          ...params,
          query,
          upload: body as Upload,
          request,
          call,
        });
        if ("job_id" in answer) {
          set.status = 202;
          set.headers.location = `/v1/rag/jobs/${answer.job_id}`;
        }
        return answer as never;
      },
      {
        params: DocumentPath,
        query: UploadQuery,
        response: { 200: DocumentStored, 202: JobAccepted },
        detail: {
          tags,
          operationId: "putDocument",
          summary: "Stores a file as a document",
          description: `Accepts files (${readableFiles}) with the matching content type, at most 64 MiB. Replaces an existing document with this ID. With \`Prefer: respond-async\`, the response is a job.`,
          requestBody: {
            required: true,
            content: Object.fromEntries(documentContentTypes.map((type) => [type, fileBody])),
          },
        },
      },
    );
