import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { answerFile, type MediaPorts } from "./routes.ts";
import { findFile, type MediaFileRow } from "./store.ts";

/** Addresses under which those who have them read a file. */
export interface FileLinks {
  /** Undefined if the gateway has no public address. */
  linkTo(file: Pick<MediaFileRow, "id" | "tenantId">): string | undefined;
}

const linkSeal = (tenant: string, id: string) => ({ purpose: "gateway_file_link", tenant, name: id });

/** Makes addresses of files that nobody can guess, for providers and visitors who fetch them. */
export const createFileLinks = (
  sealer: Sealer | undefined,
  publicBaseUrl: string | undefined,
): FileLinks => ({
  linkTo({ id, tenantId }) {
    if (sealer === undefined || publicBaseUrl === undefined) return undefined;
    const key = sealer.seal(id, linkSeal(tenantId, id));
    return `${publicBaseUrl}/files/${encodeURIComponent(id)}?key=${encodeURIComponent(key)}`;
  },
});

/** The route behind these addresses. A wrong key and a file that is gone are the same. */
export const fileLinkRoutes = (ports: MediaPorts) =>
  new Elysia({ prefix: "/files" }).use(jsonRoutes()).get(
    "/:id",
    async ({ params: { id }, query: { key } }) => {
      const { storage, sealer } = ports;
      const file = await findFile(storage.read, storage.tables, id, undefined);
      if (file === undefined || !opens(sealer, key, file)) {
        throw new AppError("not_found", "not_found", `There is no file ${id}.`);
      }
      return answerFile(ports, id, file.tenantId);
    },
    {
      query: Type.Object({ key: Type.String({ maxLength: 1024 }) }),
      detail: { tags: ["media"], operationId: "readLinkedMedia", summary: "A file, for who has its link" },
    },
  );

function opens(sealer: Sealer | undefined, key: string, { id, tenantId }: { id: string; tenantId: string }) {
  try {
    return sealer?.open(key, linkSeal(tenantId, id)) === id;
  } catch {
    return false;
  }
}
