import { useEffect, useReducer, useRef } from "react";
import { type QueuedUpload, startable, stepUploads } from "./upload-queue.ts";

const atOnceMax = 2;

/** Uploads into a collection, and the actions on them. */
export interface Uploads {
  uploads: readonly QueuedUpload[];
  add: (files: readonly File[]) => void;
  cancel: (upload: QueuedUpload) => void;
  retry: (upload: QueuedUpload) => void;
  clear: () => void;
}

export interface UploadService {
  /** Sends a file. Calls `became` if a job processes the file, and with the page that the job reads. */
  send(
    upload: QueuedUpload,
    signal: AbortSignal,
    became: (more: Pick<QueuedUpload, "job" | "reading">) => void,
  ): Promise<Pick<QueuedUpload, "outcome">>;
  /** Called after each upload, also after a failure or a cancellation. */
  ended(): void;
  /** Ends the job of an upload that was cancelled. */
  endJob?(job: string): void;
}

/** Sends a few files at a time. Running uploads continue when the user leaves the page. `service` must keep its identity between renders. */
export function useUploadQueue(service: UploadService): Uploads {
  const [uploads, step] = useReducer(stepUploads, []);
  const controllers = useRef(new Map<number, AbortController>());

  useEffect(() => {
    for (const upload of startable(uploads, atOnceMax)) {
      const { key } = upload;
      if (controllers.current.has(key)) continue;
      const controller = new AbortController();
      controllers.current.set(key, controller);
      step({ type: "moved", key, state: "reading" });
      const became = (more: Pick<QueuedUpload, "job" | "reading">) =>
        step({ type: "moved", key, state: "working", more });
      void service
        .send(upload, controller.signal, became)
        .then(
          (more) => step({ type: "moved", key, state: "done", more }),
          (thrown) => step({ type: "moved", key, state: "failed", more: { thrown } }),
        )
        .finally(() => {
          controllers.current.delete(key);
          service.ended();
        });
    }
  }, [uploads, service]);

  return {
    uploads,
    add: (files) => step({ type: "added", files }),
    cancel({ key, job }) {
      step({ type: "moved", key, state: "cancelled" });
      controllers.current.get(key)?.abort();
      if (job !== undefined) service.endJob?.(job);
    },
    retry: ({ key }) => step({ type: "retried", key }),
    clear: () => step({ type: "cleared" }),
  };
}
