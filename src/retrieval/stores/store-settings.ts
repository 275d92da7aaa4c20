/** Settings of a vector store in a manifest or in `spec.vectors` of runtime.yaml. */
export interface VectorStoreSettings {
  /** Absent: the installation's default, which is `lancedb` unless `spec.vectors` sets another. */
  backend?: string | undefined;
  url?: string | undefined;
  api_key_env?: string | undefined;
  /** `pgvector`: connection string. */
  dsn?: string | undefined;
}
