import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { safeFileName } from "../../../channels/inbound/delivered-text.ts";
import { TenantId } from "../../../contracts/gateway/channels.ts";
import { UploadedFile } from "../../../contracts/gateway/media.ts";
import { roomFor, type Upload, UploadBudget, uploadOf } from "../../../http/bodies/upload.ts";
import { holdOpen } from "../../../http/call.ts";
import { callContext, jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { requireSealer } from "../accounts/credentials.ts";
import { type SendKey, sendCredential } from "../auth/credentials.ts";
import { type DeskDoor, deskCredential, deskTenant } from "../auth/desk-credential.ts";
import type { GatewayStoreDeps } from "../tables.ts";
import { kindOfType, sniffType } from "./sniff-type.ts";
import {
  type FileRoom,
  fileBytesMax,
  fileDays,
  findFile,
  type MediaFileRow,
  readBytes,
  storeBytes,
} from "./store.ts";

export interface MediaPorts extends GatewayStoreDeps {
  sealer: Sealer | undefined;
  storageRoom: FileRoom;
}

const tags = ["media"];
const dayMs = 24 * 60 * 60_000;
/** Bytes of all files that are being uploaded. */
const uploadsBytesMax = 4 * fileBytesMax;

const filename = Type.Optional(Type.String({ maxLength: 255, description: "Name under which it is sent." }));
const binary = { schema: { type: "string", format: "binary" } } as const;
const fileBody = { required: true, content: { "application/octet-stream": binary } };

/** Routes by which tenants' programs read and upload files. */
export const tenantMediaRoutes = (ports: MediaPorts, keys: readonly SendKey[]) => {
  const budget = new UploadBudget(uploadsBytesMax);
  return [
    new Elysia({ prefix: "/api/v1/media" })
      .use(jsonRoutes())
      .use(sendCredential(keys))
      .get("/:id", async ({ tenantId, params }) => answerFile(ports, params.id, tenantId), {
        detail: { tags, operationId: "getMedia", summary: "A file of a message, as an attachment" },
      }),
    new Elysia({ prefix: "/api/v1/media" })
      .use(callContext())
      .onParse(({ request, call }) => uploadOf(request, call))
      .use(sendCredential(keys))
      .post(
        "",
        async ({ tenantId, query, body, request, call, set }) => {
          holdOpen(call, request);
          set.status = 201;
          return keepUpload(ports, budget, { tenantId, ...query, upload: body as Upload });
        },
        {
          query: Type.Object({ filename }),
          response: { 201: UploadedFile },
          detail: {
            tags,
            operationId: "uploadMedia",
            summary: "Keeps a file to be sent",
            requestBody: fileBody,
          },
        },
      ),
  ];
};

/** The same for the desk. */
export const adminMediaRoutes = (ports: MediaPorts, door: DeskDoor) => {
  const budget = new UploadBudget(uploadsBytesMax);
  return [
    new Elysia({ prefix: "/admin/media" })
      .use(jsonRoutes())
      .use(deskCredential(door))
      .get("/:id", async ({ params, desk }) => answerFile(ports, params.id, desk.tenantId), {
        detail: { tags, operationId: "adminGetMedia", summary: "A file of a message, as an attachment" },
      }),
    new Elysia({ prefix: "/admin/media" })
      .use(callContext())
      .onParse(({ request, call }) => uploadOf(request, call))
      .use(deskCredential(door))
      .post(
        "",
        async ({ query: { tenant_id: asked, filename }, desk, body, request, call, set }) => {
          const tenantId = deskTenant(desk, asked);
          holdOpen(call, request);
          set.status = 201;
          return keepUpload(ports, budget, { tenantId, filename, upload: body as Upload });
        },
        {
          query: Type.Object({ tenant_id: TenantId, filename }),
          response: { 201: UploadedFile },
          detail: {
            tags,
            operationId: "adminUploadMedia",
            summary: "Keeps a file of a tenant to be sent",
            requestBody: fileBody,
          },
        },
      ),
  ];
};

/** Answers with a file of a tenant; without one, of any. Throws 404. */
export async function answerFile(
  { storage, sealer }: MediaPorts,
  id: string,
  tenantId: string | undefined,
): Promise<Response> {
  const file = await findFile(storage.read, storage.tables, id, tenantId);
  if (file?.state === "wanted") {
    throw new AppError("not_found", "not_fetched", `File ${id} is still being fetched.`, {
      details: { retryAfterSeconds: 2 },
    });
  }
  if (file?.state !== "kept") throw new AppError("not_found", "not_found", `There is no file ${id}.`);
  const pieces = readBytes({ storage, sealer: requireSealer(sealer) }, file);
  return new Response(streamOf(pieces), { headers: headersOf(file) });
}

const streamOf = (pieces: AsyncGenerator<Uint8Array>) =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });

/** A browser stores the file, and runs nothing of it. */
function headersOf({ mimeType, bytes, fileName, id }: MediaFileRow): Record<string, string> {
  const name = encodeURIComponent(fileName ?? id).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return {
    "content-type": mimeType,
    "content-length": String(bytes),
    "content-disposition": `attachment; filename*=UTF-8''${name}`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cache-control": "private, no-store",
  };
}

async function keepUpload(
  { storage, sealer, storageRoom, clock, newId }: MediaPorts,
  budget: UploadBudget,
  { tenantId, filename, upload }: { tenantId: string; filename?: string | undefined; upload: Upload },
): Promise<UploadedFile> {
  const opened = requireSealer(sealer);
  await storageRoom.requireRoom(storage.read, tenantId);
  const release = budget.take(roomFor(upload, fileBytesMax), tenantId);
  try {
    const bytes = await upload.read(fileBytesMax);
    const mimeType = sniffType(bytes, upload.contentType);
    const now = clock.now();
    const file: MediaFileRow = {
      id: newId(),
      tenantId,
      accountId: null,
      conversationId: null,
      kind: kindOfType(mimeType),
      mimeType,
      fileName: safeFileName(filename) ?? null,
      bytes: bytes.length,
      state: "kept",
      source: null,
      tries: 0,
      dueAt: now,
      createdAt: now,
      transcript: null,
    };
    await storeBytes({ storage, sealer: opened, clock }, file, bytes);
    await storage.transact((tx) => tx.insert(storage.tables.mediaFiles).values(file));
    return presentFile(file);
  } finally {
    release();
  }
}

const presentFile = ({ id, kind, mimeType, fileName, bytes, createdAt }: MediaFileRow): UploadedFile => ({
  id,
  kind,
  mime_type: mimeType,
  filename: fileName,
  bytes,
  expires_at: new Date(createdAt.getTime() + fileDays * dayMs).toISOString(),
});
