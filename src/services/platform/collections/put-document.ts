import type { DocumentStored } from "../../../contracts/daemon/rag/rag.ts";
import type { DocumentPlace } from "../../../contracts/runtime/documents.ts";
import { roomFor, type Upload, UploadBudget } from "../../../http/bodies/upload.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { tenantOwner } from "../tenants/tenant-owner.ts";
import type { CollectionDeps } from "./deps.ts";
import { collectionsMax, documentLimits } from "./document-limits.ts";
import { reachDocuments } from "./reach-documents.ts";

/** Documents of one tenant that may be on their way at once. */
export const uploadsAtOnce = 4;
/** Documents of all tenants that are in memory at once. */
const uploadBytesMax = 128 * 1024 * 1024;
/** A document's bytes where the plan has no limit: the runtime's own. */
const fileBytesMax = 64 * 1024 * 1024;

/** The documents that are being sent to this process. */
export class UploadsUnderWay {
  readonly #budget = new UploadBudget(uploadBytesMax);
  readonly #ofTenant = new Map<string, number>();

  /** Room for one document, until the function is called that it gives; 429 `rate_limited`, or `too_busy`. */
  begin({ tenantId, owner }: { tenantId: string; owner: string }, bytes: number): () => void {
    const running = this.#ofTenant.get(tenantId) ?? 0;
    if (running >= uploadsAtOnce) {
      const message = `A tenant may upload at most ${uploadsAtOnce} documents at once.`;
      throw new AppError("rate_limited", "rate_limited", message, { details: { retryAfterSeconds: 2 } });
    }
    const giveBack = this.#budget.take(bytes, owner);
    this.#ofTenant.set(tenantId, running + 1);
    return () => {
      giveBack();
      const left = (this.#ofTenant.get(tenantId) ?? 1) - 1;
      if (left > 0) this.#ofTenant.set(tenantId, left);
      else this.#ofTenant.delete(tenantId);
    };
  }
}

export interface TenantUpload {
  tenantId: string;
  place: DocumentPlace;
  name: string | undefined;
  metadata: string | undefined;
  upload: Upload;
  signal: AbortSignal;
}

/** Has the runtime take a file as the document with this id; 413 `document_too_large` above what the plan allows. */
export async function putDocument(
  deps: CollectionDeps,
  uploads: UploadsUnderWay,
  { tenantId, place, name, metadata, upload, signal }: TenantUpload,
): Promise<DocumentStored> {
  const { documents_max, document_bytes_max } = await documentLimits(deps, tenantId);
  const bytesMax = document_bytes_max ?? fileBytesMax;
  const { declaredBytes, contentType } = upload;
  if (declaredBytes !== undefined && declaredBytes > bytesMax) throw tooLarge(bytesMax, declaredBytes);
  const owner = await tenantOwner(deps, tenantId);
  const end = uploads.begin({ tenantId, owner }, roomFor(upload, bytesMax));
  try {
    const bytes = (await readUpload(upload, bytesMax)) as Uint8Array<ArrayBuffer>;
    const quota = { collections_max: collectionsMax, documents_max };
    const file = { bytes, contentType, name, metadata };
    return await reachDocuments(deps, () =>
      deps.runtime.documents.putDocument(tenantId, place, { file, quota, owner, signal }),
    );
  } finally {
    end();
  }
}

async function readUpload(upload: Upload, bytesMax: number): Promise<Uint8Array> {
  try {
    return await upload.read(bytesMax);
  } catch (thrown) {
    throw toAppError(thrown).kind === "too_large" ? tooLarge(bytesMax, undefined) : thrown;
  }
}

function tooLarge(bytesMax: number, bytes: number | undefined): AppError {
  const has = bytes === undefined ? `more than ${bytesMax}` : String(bytes);
  return new AppError(
    "too_large",
    "document_too_large",
    `The document has ${has} bytes; the plan allows ${bytesMax} (document_bytes_max).`,
    {
      details: {
        hint: "Split it into smaller documents, or ask the operator for a larger plan.",
        facts: { document_bytes_max: bytesMax, ...(bytes !== undefined && { bytes }) },
      },
    },
  );
}
