import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { kindOfContentType } from "../../../../contracts/daemon/rag/document-types.ts";
import { type UploadService, type Uploads, useUploadQueue } from "../../../documents/use-upload-queue.ts";
import { formatBytes } from "../../../parts/text/format.ts";
import { uploadTexts } from "../../../texts/documents.ts";
import { tenantCollectionTexts as texts } from "../../../texts/platform/documents.ts";
import { usePlatform } from "../../use-platform.ts";
import { documentKeys } from "./document-keys.ts";

/** Uploads of files into a tenant's collection. */
export function useDocumentUploads(tenantId: string, collection: string, bytesMax: number): Uploads {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const service = useMemo<UploadService>(
    () => ({
      async send({ id, file }, signal) {
        if (file.size === 0) throw new Error(uploadTexts.empty);
        if (file.size > bytesMax) throw new Error(texts.tooLarge(formatBytes(bytesMax)));
        const document = {
          bytes: new Uint8Array(await file.arrayBuffer()),
          name: file.name,
          ...(kindOfContentType(file.type) === undefined ? {} : { contentType: file.type }),
        };
        return { outcome: await platform.putDocument(collection, id, document, signal) };
      },
      ended: () => void queries.invalidateQueries({ queryKey: documentKeys(tenantId).collections }),
    }),
    [platform, queries, tenantId, collection, bytesMax],
  );
  return useUploadQueue(service);
}
