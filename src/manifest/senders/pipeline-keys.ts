import { type KeyRow, type KeyRule, keyTable, never, noOwnSetting, open, ownersOnly } from "./key-policy.ts";
import type { SenderTerms, VectorStoreTerms, VendorPlace } from "./policy-terms.ts";

type Rule = KeyRule<SenderTerms>;

const vendorAddress: Rule = ({ value, holder }, { isConfiguredVendor, addressFault }) => {
  const vendor = holder as unknown as VendorPlace;
  return typeof value !== "string" || isConfiguredVendor(vendor) ? undefined : addressFault(value);
};

const vendorKey: Rule = ({ holder }, { mayNameVendorKey }) =>
  mayNameVendorKey(holder as unknown as VendorPlace)
    ? undefined
    : `names a variable that isn't the key of this provider at its configured address; ${ownersOnly}`;

const backendOf = ({ backend }: VectorStoreTerms, { vectors }: SenderTerms) =>
  backend ?? vectors.backend ?? "lancedb";

/** Stores that are HTTP servers. */
const httpStores: ReadonlySet<string> = new Set(["qdrant", "chroma"]);

const storeAddress: Rule = ({ value, holder }, terms) => {
  const backend = backendOf(holder, terms);
  const { vectors, addressFault } = terms;
  if (value === vectors.url && backend === (vectors.backend ?? "lancedb")) return undefined;
  if (!httpStores.has(backend)) return `names a database or a place of files; ${ownersOnly}`;
  if (!/^https?:\/\//i.test(String(value))) return "must be an http:// or https:// address";
  return addressFault(String(value));
};

const storeKey: Rule = ({ value, holder }, terms) => {
  const { vectors } = terms;
  const { url } = holder as VectorStoreTerms;
  const isConfigured =
    backendOf(holder, terms) === vectors.backend && (url === undefined || url === vectors.url);
  return isConfigured && value === vectors.api_key_env
    ? undefined
    : `names a variable that isn't the key of the configured store; ${ownersOnly}`;
};

const nothing = (key: string): KeyRow => ({ key, names: "nothing" });

/** Every key of `kind: RAGPipeline` that is text or a switch; tenants have no pipelines. */
export const pipelineKeys = keyTable([
  ...["apiVersion", "kind", "metadata", "spec.description", "spec.chunking", "spec.retrieval"].map(nothing),
  // Strangers cannot fill a collection that a pipeline of the owner fills: the library refuses it.
  { key: "spec.collection", names: "name", stranger: open },
  { key: "spec.embeddings.provider", names: "name", stranger: open },
  // For `sentence_transformer`, this is a folder below `<data>/models`; the embedder stays inside it.
  { key: "spec.embeddings.model", names: "name", stranger: open },
  { key: "spec.embeddings.endpoint", names: "address", stranger: vendorAddress },
  { key: "spec.embeddings.api_key_env", names: "variable", owner: noOwnSetting, stranger: vendorKey },
  { key: "spec.vector_store.backend", names: "name", stranger: open },
  { key: "spec.vector_store.url", names: "address", stranger: storeAddress },
  { key: "spec.vector_store.api_key_env", names: "variable", owner: noOwnSetting, stranger: storeKey },
  {
    key: "spec.vector_store.dsn",
    names: "connection",
    stranger: ({ value }, { vectors }) =>
      value === vectors.dsn ? undefined : `names a database; ${ownersOnly}`,
  },
  { key: "spec.reranking.enabled", names: "nothing" },
  { key: "spec.reranking.provider", names: "name", stranger: open },
  { key: "spec.reranking.model", names: "name", stranger: open },
  { key: "spec.reranking.api_key_env", names: "variable", owner: noOwnSetting, stranger: vendorKey },
  // Minutes of a processor for each file.
  {
    key: "spec.text_recognition",
    names: "nothing",
    stranger: never(`takes minutes for each file; ${ownersOnly}`),
  },
  { key: "spec.text_recognition.languages", names: "nothing" },
  { key: "spec.sources", names: "path", stranger: never(`names files of this machine; ${ownersOnly}`) },
  { key: "spec.sources.[].path", names: "path", stranger: open },
]);
