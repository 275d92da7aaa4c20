import type { CollectionView, DocumentStored } from "../../../contracts/daemon/rag/rag.ts";
import type { DocumentTenants } from "../../../contracts/runtime/documents.ts";
import { roomFor, type Upload, UploadBudget } from "../../../http/bodies/upload.ts";
import { fairTurns } from "../../../kit/concurrency/fair-turns.ts";
import type { KnownOwners } from "../../../kit/concurrency/known-owners.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import {
  type CollectionQuota,
  collectionLimitReached,
  documentLimitReached,
} from "../../../retrieval/rag/collections/collection-quota.ts";
import { obtainCollection } from "../../../retrieval/rag/collections/open-collection.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { deleteCollection, getCollection } from "../rag/collections/collections.ts";
import { presentStored, readMetadata, takeFile } from "../rag/collections/put-document.ts";
import { type DaemonRag, type IngestTurn, pipelineFor } from "../rag/daemon-rag.ts";

/** Ingests of tenants in work, each of another tenant: the operator's have places of their own. */
const ingestsAtOnce = 2;
/** Size limit of one file in bytes, whatever the plan says. */
const fileBytesMax = 64 * 1024 * 1024;
/** Files of tenants that are in memory at once. */
const uploadBytesMax = 128 * 1024 * 1024;
const tenantsPerPage = 200;

/** The daemon's documents as tenants use them: their owners wait for each other in fair turns, and never in the operator's place. */
export function tenantDocuments(rag: DaemonRag, owners: KnownOwners): DaemonRag {
  const turns = fairTurns({ placesMax: ingestsAtOnce, ownPlacesMax: 1 });
  const turn: IngestTurn = (tenant, signal, work) =>
    untilAborted(signal, () =>
      turns(owners.of(tenant), () => {
        signal.throwIfAborted();
        return work();
      }),
    );
  const { reader } = rag;
  const budget = new UploadBudget(uploadBytesMax);
  return {
    ...rag,
    turn,
    uploads: { take: (bytes, tenant) => budget.take(bytes, tenant && owners.of(tenant)) },
    reader: {
      read: (file, signal, tenant) =>
        reader.read(file, signal, tenant === undefined ? undefined : owners.of(tenant)),
      close: () => reader.close(),
    },
  };
}

/** A page of the tenants that have collections. */
export async function documentTenants(
  { ports: { registry } }: DaemonRag,
  after: string | undefined,
): Promise<DocumentTenants> {
  const tenants = await registry.listTenants({ after, limit: tenantsPerPage + 1 });
  const page = tenants.slice(0, tenantsPerPage);
  const last = tenants.length > tenantsPerPage ? page.at(-1) : undefined;
  return {
    tenants: page.filter((tenant) => tenant !== operatorTenant),
    ...(last !== undefined && { next: last }),
  };
}

/** Deletes every collection of a tenant; one that can't be deleted now doesn't keep the others, and is thrown at the end. */
export async function forgetDocuments(rag: DaemonRag, tenant: string): Promise<void> {
  const failures: unknown[] = [];
  for (const { name } of await rag.ports.registry.list(tenant)) {
    await deleteCollection(rag, tenant, name).catch((thrown) => failures.push(thrown));
  }
  if (failures.length > 0) throw failures[0];
}

/** A quota as the control plane's query has it. */
interface SentQuota {
  collections_max?: string | undefined;
  documents_max?: string | undefined;
}

/** Makes a collection without documents; one that is there stays as it is. */
export async function makeCollection(
  rag: DaemonRag,
  { tenant, collection: name }: { tenant: string; collection: string },
  sent: SentQuota,
  signal: AbortSignal,
): Promise<CollectionView> {
  const pipeline = pipelineFor(rag, { tenant, collection: name });
  const { newId } = rag.ports;
  await obtainCollection(rag.ports, pipeline, { tenant, name, newId, signal, quota: quotaOf(sent) });
  return getCollection(rag, tenant, name);
}

export interface TenantPut {
  tenant: string;
  collection: string;
  id: string;
  query: SentQuota & { name?: string | undefined; metadata?: string | undefined };
  upload: Upload;
  signal: AbortSignal;
}

/** Reads a tenant's file and takes what it says as the document with this id. */
export async function putTenantDocument(
  rag: DaemonRag,
  { tenant, collection, id, query, upload, signal }: TenantPut,
): Promise<DocumentStored> {
  const metadata = readMetadata(query.metadata);
  const quota = quotaOf(query);
  await requireRoom(rag, { tenant, collection, id }, quota);
  const aim = { tenant, collection };
  const { chunking } = pipelineFor(rag, aim);
  const giveBack = rag.uploads.take(roomFor(upload, fileBytesMax), tenant);
  try {
    const file = {
      bytes: await upload.read(fileBytesMax),
      contentType: upload.contentType,
      name: query.name ?? id,
    };
    const { outcome, title } = await rag.turn(tenant, signal, () =>
      takeFile(rag, { aim, id, file, said: metadata, chunking, quota, signal }),
    );
    return presentStored(collection, outcome, title);
  } finally {
    giveBack();
  }
}

/** Refuses what the quota refuses at the end in any case, before the file is read and its collection made. */
async function requireRoom(
  { ports: { registry } }: DaemonRag,
  { tenant, collection, id }: { tenant: string; collection: string; id: string },
  { collectionsMax, documentsMax }: CollectionQuota,
): Promise<void> {
  const collections = await registry.list(tenant);
  const known = collections.find(({ name }) => name === collection);
  if (known === undefined && collectionsMax !== null && collections.length >= collectionsMax) {
    throw collectionLimitReached(collectionsMax);
  }
  const documents = collections.reduce((sum, one) => sum + one.documents, 0);
  if (documentsMax === null || documents < documentsMax) return;
  const replaced = known && (await registry.findDocument({ tenant, collection: known.id }, id));
  if (replaced === undefined) throw documentLimitReached(documentsMax);
}

/** An absent limit is none. */
function quotaOf({ collections_max, documents_max }: SentQuota): CollectionQuota {
  return {
    collectionsMax: collections_max === undefined ? null : Number(collections_max),
    documentsMax: documents_max === undefined ? null : Number(documents_max),
  };
}
