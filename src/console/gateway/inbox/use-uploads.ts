import { useEffect, useRef, useState } from "react";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";
import { useSetup } from "../accounts/use-setup.ts";
import { useUploadGateway } from "../use-gateway.ts";
import type { DraftFile } from "./drafts.ts";
import { problemOfFile } from "./file-check.ts";

/** A file on its way to the gateway. */
export interface RunningUpload {
  key: number;
  name: string;
  /** Part of it that is sent: 0 to 1. */
  share: number;
}

export interface ReplyUploads {
  running: readonly RunningUpload[];
  /** Why files were not taken. */
  problems: readonly string[];
  /** The failure of an upload. */
  thrown: unknown;
  add: (files: readonly File[]) => void;
  cancel: (key: number) => void;
}

/** Files of one reply: each is sent as a message. */
export const filesMax = 10;

/** Checks files that a person chose, and uploads them. `added` is called with each that the gateway has. */
export function useUploads(
  { channel, tenant_id: tenantId }: Pick<Conversation, "channel" | "tenant_id">,
  count: number,
  added: (file: DraftFile) => void,
): ReplyUploads {
  const gatewayFor = useUploadGateway();
  const setup = useSetup();
  const [running, setRunning] = useState<readonly RunningUpload[]>([]);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [thrown, setThrown] = useState<unknown>();
  const nextKey = useRef(0);
  const controllers = useRef(new Map<number, AbortController>());
  const latest = useRef(added);
  latest.current = added;
  useEffect(() => {
    const all = controllers.current;
    return () => {
      for (const controller of all.values()) controller.abort();
    };
  }, []);

  const upload = async (file: File) => {
    const key = nextKey.current++;
    const controller = new AbortController();
    controllers.current.set(key, controller);
    setRunning((now) => [...now, { key, name: file.name, share: 0 }]);
    const progress = (share: number) =>
      setRunning((now) => now.map((one) => (one.key === key ? { ...one, share } : one)));
    try {
      const client = gatewayFor(progress);
      const bytes = new Uint8Array(await file.arrayBuffer());
      const kept = await client.uploadMedia({
        bytes,
        ...(file.type !== "" && { contentType: file.type }),
        filename: file.name.slice(0, 255),
        tenantId,
        signal: controller.signal,
      });
      latest.current({ id: kept.id, name: kept.filename ?? file.name, size: kept.bytes, kind: kept.kind });
    } catch (failure) {
      if (!controller.signal.aborted) setThrown(failure);
    } finally {
      controllers.current.delete(key);
      setRunning((now) => now.filter((one) => one.key !== key));
    }
  };
  return {
    running,
    problems,
    thrown,
    add(files) {
      setThrown(undefined);
      const found: string[] = [];
      let left = filesMax - count - running.length;
      for (const file of files) {
        const problem = problemOfFile(file, channel, setup.data);
        if (problem !== undefined) found.push(problem);
        else if (left <= 0) found.push(texts.tooMany(filesMax));
        else {
          left--;
          void upload(file);
        }
      }
      setProblems([...new Set(found)]);
    },
    cancel: (key) => controllers.current.get(key)?.abort(),
  };
}
