import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { documentContentTypes, readableFiles } from "../../../contracts/daemon/rag/document-types.ts";
import { DocumentStored } from "../../../contracts/daemon/rag/rag.ts";
import { type Upload, uploadOf } from "../../../http/bodies/upload.ts";
import { holdOpen } from "../../../http/call.ts";
import { callContext } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import { limitTenantStorage } from "../room/tenant-room.ts";
import { limitTenantWrites } from "../tenants/management-limit.ts";
import type { CollectionDeps } from "./deps.ts";
import { putDocument, UploadsUnderWay } from "./put-document.ts";
import { DocumentPath } from "./routes.ts";

const UploadQuery = Type.Object({
  name: Type.Optional(
    Type.String({ maxLength: 1024, description: "Name of the file, used as a hint for the file type." }),
  ),
  metadata: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: "JSON object merged into the metadata of the file. Its fields override those of the file.",
    }),
  ),
});

const fileBody = { schema: { type: "string", format: "binary" } } as const;

/** The route whose body is a file. */
export const documentUploadRoutes = (deps: CollectionDeps) => {
  const uploads = new UploadsUnderWay();
  return (
    new Elysia({ prefix: "/api/v1/collections" })
      .use(callContext())
      // The file is read once its size is known to be allowed.
      .onParse(({ request, call }) => uploadOf(request, call))
      .use(tenantCredential(deps, "documents"))
      .derive(limitTenantWrites(deps))
      .derive(limitTenantStorage(deps))
      .put(
        "/:collection/documents/:id",
        async ({ tenant: { tenantId }, params, query, body, request, call }) => {
          holdOpen(call, request);
          const signal = AbortSignal.any([request.signal, deps.stopping]);
          const { name, metadata } = query;
          const upload = body as Upload;
          return putDocument(deps, uploads, { tenantId, place: params, name, metadata, upload, signal });
        },
        {
          params: DocumentPath,
          query: UploadQuery,
          response: DocumentStored,
          detail: {
            tags: ["documents"],
            operationId: "putDocument",
            summary: "Stores a file as a document",
            description: `Accepts files (${readableFiles}) with the matching content type, up to the document size limit of the plan. Replaces an existing document with this ID. The first document of a collection creates the collection.`,
            requestBody: {
              required: true,
              content: Object.fromEntries(documentContentTypes.map((type) => [type, fileBody])),
            },
          },
        },
      )
  );
};
