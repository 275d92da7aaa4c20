/** What a manifest, or `spec.vectors` of runtime.yaml, says of a vector store. */
export interface VectorStoreSettings {
  /** Absent: the installation's default, `lancedb` unless `spec.vectors` says otherwise. */
  backend?: string | undefined;
  url?: string | undefined;
  api_key_env?: string | undefined;
  /** `pgvector`: connection string. */
  dsn?: string | undefined;
}
