import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { kindOfContentType } from "../../../../contracts/daemon/rag/document-types.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { formatBytes } from "../../../parts/format.ts";
import {
  type UploadService,
  type Uploads,
  useUploadQueue,
} from "../../../studio/knowledge/use-upload-queue.ts";
import { tenantCollectionTexts as texts } from "../../../texts/platform-documents.ts";
import { uploadTexts } from "../../../texts/studio-knowledge.ts";
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
        const { status, chunks } = await platform.putDocument(collection, id, document, signal);
        return { outcome: { status, chunks } };
      },
      ended: () => void queries.invalidateQueries({ queryKey: documentKeys(tenantId).collections }),
    }),
    [platform, queries, tenantId, collection, bytesMax],
  );
  return useUploadQueue(service);
}
