import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { kindOfContentType, kindOfName, mayTakeLong } from "../../../contracts/daemon/rag/document-types.ts";
import { fileBytesMax } from "../../documents/upload-queue.ts";
import { type UploadService, type Uploads, useUploadQueue } from "../../documents/use-upload-queue.ts";
import { uploadTexts as texts } from "../../texts/documents.ts";
import { useDaemon } from "../use-daemon.ts";
import { knowledgeKeys } from "./knowledge-paths.ts";

const jobLookMs = 1000;

/** Uploads of files into a collection of the daemon. */
export function useUploads(collection: string, pipeline: string): Uploads {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const service = useMemo<UploadService>(
    () => ({
      async send({ id, file }, signal, became) {
        if (file.size === 0) throw new Error(texts.empty);
        if (file.size > fileBytesMax) throw new Error(texts.tooLarge);
        const upload = {
          bytes: new Uint8Array(await file.arrayBuffer()),
          name: file.name,
          ...(kindOfContentType(file.type) === undefined ? {} : { contentType: file.type }),
          ...(pipeline === "" ? {} : { pipeline }),
        };
        if (!mayTakeLong(kindOfContentType(file.type) ?? kindOfName(file.name), file.size)) {
          return { outcome: await daemon.putDocument(collection, id, upload, signal) };
        }
        const { job_id: job } = await daemon.startPutDocument(collection, id, upload, signal);
        became({ job });
        void queries.invalidateQueries({ queryKey: knowledgeKeys.jobs });
        while (true) {
          await pause(jobLookMs, signal);
          // A hidden page sends no polls.
          if (document.visibilityState !== "visible") continue;
          const { status, error, failed, chunks, losses, reading } = await daemon.getRagJob(job);
          if (status === "completed" && failed.length === 0)
            return { outcome: { chunks, ...(losses && { losses }) } };
          if (reading !== undefined) became({ reading });
          if (status === "queued" || status === "running") continue;
          throw new Error(error?.message ?? failed[0]?.message ?? texts.ended(status));
        }
      },
      ended: () => void queries.invalidateQueries({ queryKey: knowledgeKeys.collections }),
      // The job may have ended already.
      endJob: (job) => void daemon.endRagJob(job).catch(() => undefined),
    }),
    [daemon, queries, collection, pipeline],
  );
  return useUploadQueue(service);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
