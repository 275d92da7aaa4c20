import type { ModelBlock } from "../agent/model.ts";

/** Features the operator enables for tenants. */
export interface TenantTerms {
  /** Returns true if the operator has configured the block's server for tenants, with the operator's key. */
  isConfigured: (block: ModelBlock) => boolean;
  /** The configured providers, for messages. */
  providers: readonly string[];
  /** Kinds of providers that a tenant may call at an address of its own. */
  ownKinds: ReadonlySet<string>;
  /** Returns why an address of a manifest is never called, as the end of a sentence; undefined if it may be called. */
  addressFault: (url: string) => string | undefined;
  /** Tools of `closedTools` that the operator has opened (`spec.tenants.tools`). */
  tools: ReadonlySet<string>;
}

/** Features the operator's configuration enables for senders other than the machine's owner. */
export interface SenderTerms {
  /** Returns true for a block whose server is configured, so it needs no guard. */
  isConfigured: (block: Pick<ModelBlock, "provider" | "endpoint">) => boolean;
  /** Returns true for a block that names the variable of its own configured provider, at that provider's address. */
  mayNameKey: (block: Pick<ModelBlock, "provider" | "endpoint" | "api_key_env">) => boolean;
  /** Like the two above, for embedders and rerankers, whose providers are kinds, not entries. */
  isConfiguredVendor: (vendor: VendorPlace) => boolean;
  mayNameVendorKey: (vendor: VendorPlace) => boolean;
  /** Kinds of providers that may be called at the sender's own address. */
  ownKinds: ReadonlySet<string>;
  /** Returns why an address is never called, as the end of a sentence; undefined if it may be called. */
  addressFault: (url: string) => string | undefined;
  /** Like `addressFault`, for the host of a server that does not speak HTTP. */
  hostFault: (host: string) => string | undefined;
  /** Like `addressFault`, for the folder of file tools. */
  folderFault: (path: string) => string | undefined;
  /** Like `addressFault`, for a connection string of `sql_query`. */
  databaseFault: (connection: string) => string | undefined;
  /** `spec.vectors` of runtime.yaml, and DATABASE_URL as its `dsn`. */
  vectors: VectorStoreTerms;
}

/** The address of a vendor of embeddings or reranking, and the variable of its key. */
export interface VendorPlace {
  provider: string;
  endpoint?: string | undefined;
  api_key_env?: string | undefined;
}

/** The store of the vectors. */
export interface VectorStoreTerms {
  backend?: string | undefined;
  url?: string | undefined;
  dsn?: string | undefined;
  api_key_env?: string | undefined;
}

/** Built-in tools that reach the operator's own resources. They are closed to tenants unless the operator opens them. */
export const closedTools = ["read_file", "write_file", "sql_query", "send_email", "rag_ingest"] as const;

/** The closed tools that can be opened: they stay inside a folder of the tenant. */
export const openableTools: readonly string[] = ["read_file", "write_file", "sql_query"];

const ownDatabase =
  /^sqlite:((?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\/){0,8}[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\.(?:db|sqlite))$/;

/** Returns the file in a tenant's folder that a connection string names; undefined for any other connection. */
export function ownDatabaseFile(connection: unknown): string | undefined {
  return typeof connection === "string" ? ownDatabase.exec(connection)?.[1] : undefined;
}

/** Returns true for a connection string that names a file in a tenant's folder. */
export const isOwnDatabase = (connection: unknown): boolean => ownDatabaseFile(connection) !== undefined;
