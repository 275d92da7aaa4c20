import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useRef } from "react";
import { kindOfContentType } from "../../../contracts/daemon/document-types.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { uploadTexts as texts } from "../../texts/studio-knowledge.ts";
import { knowledgeKeys } from "./knowledge-paths.ts";
import { fileBytesMax, startable, stepUploads, type Upload } from "./upload-queue.ts";

const atOnceMax = 2;
/** Larger files are read by a job, so that no request stays open for them. */
const jobBytesMin = 4 * 1024 * 1024;
const jobLookMs = 1000;

export interface Uploads {
  uploads: readonly Upload[];
  add: (files: readonly File[]) => void;
  cancel: (upload: Upload) => void;
  retry: (upload: Upload) => void;
  clear: () => void;
}

/** Uploads files into a collection, a few at a time. Running uploads continue when the user leaves the page. */
export function useUploads(collection: string, pipeline: string): Uploads {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [uploads, step] = useReducer(stepUploads, []);
  const underWay = useRef(new Map<number, AbortController>());

  const send = useCallback(
    async ({ key, id, file }: Upload, signal: AbortSignal) => {
      if (file.size === 0) throw new Error(texts.empty);
      if (file.size > fileBytesMax) throw new Error(texts.tooLarge);
      const upload = {
        bytes: new Uint8Array(await file.arrayBuffer()),
        name: file.name,
        ...(kindOfContentType(file.type) === undefined ? {} : { contentType: file.type }),
        ...(pipeline === "" ? {} : { pipeline }),
      };
      if (file.size < jobBytesMin) {
        const { status, chunks } = await daemon.putDocument(collection, id, upload, signal);
        return { outcome: { status, chunks } };
      }
      const { job_id: job } = await daemon.startPutDocument(collection, id, upload, signal);
      step({ type: "moved", key, state: "working", more: { job } });
      void queries.invalidateQueries({ queryKey: knowledgeKeys.jobs });
      while (true) {
        await pause(jobLookMs, signal);
        // A hidden page does not poll.
        if (document.visibilityState !== "visible") continue;
        const { status, error, failed } = await daemon.getRagJob(job);
        if (status === "completed" && failed.length === 0) return {};
        if (status === "queued" || status === "running") continue;
        throw new Error(error?.message ?? failed[0]?.message ?? texts.ended(status));
      }
    },
    [daemon, queries, collection, pipeline],
  );

  useEffect(() => {
    for (const upload of startable(uploads, atOnceMax)) {
      const { key } = upload;
      if (underWay.current.has(key)) continue;
      const controller = new AbortController();
      underWay.current.set(key, controller);
      step({ type: "moved", key, state: "reading" });
      void send(upload, controller.signal)
        .then(
          (more) => step({ type: "moved", key, state: "done", more }),
          (thrown) => step({ type: "moved", key, state: "failed", more: { thrown } }),
        )
        .finally(() => {
          underWay.current.delete(key);
          void queries.invalidateQueries({ queryKey: knowledgeKeys.collections });
        });
    }
  }, [uploads, send, queries]);

  return {
    uploads,
    add: (files) => step({ type: "added", files }),
    cancel({ key, job }) {
      step({ type: "moved", key, state: "cancelled" });
      underWay.current.get(key)?.abort();
      // The job may have ended meanwhile.
      if (job !== undefined) void daemon.endRagJob(job).catch(() => undefined);
    },
    retry: ({ key }) => step({ type: "retried", key }),
    clear: () => step({ type: "cleared" }),
  };
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
