import type { ModelBlock } from "./model.ts";

/** What an installation lets tenants have beyond what is open to all of them. */
export interface TenantTerms {
  /** Whether a block means a server that the operator has configured for tenants, with the operator's key. */
  isConfigured: (block: ModelBlock) => boolean;
  /** The configured providers, for messages. */
  providers: readonly string[];
  /** Kinds of providers that a tenant may call at an address of its own. */
  ownKinds: ReadonlySet<string>;
  /** Why an address of a manifest is never called, as the end of a sentence; undefined when it may be. */
  addressFault: (url: string) => string | undefined;
  /** Tools of `closedTools` that the operator has opened (`spec.tenants.tools`). */
  tools: ReadonlySet<string>;
}

/** What the operator's configuration leaves to senders who aren't the machine's owner. */
export interface SenderTerms {
  /** Returns true for a block whose server is configured: it needs no guard. */
  isConfigured: (block: Pick<ModelBlock, "provider" | "endpoint">) => boolean;
  /** Returns true for a block that names the variable of its own configured provider, at that provider's address. */
  mayNameKey: (block: Pick<ModelBlock, "provider" | "endpoint" | "api_key_env">) => boolean;
  /** The same two for embedders and rerankers, whose providers are kinds and no entries. */
  isConfiguredVendor: (vendor: VendorPlace) => boolean;
  mayNameVendorKey: (vendor: VendorPlace) => boolean;
  /** Kinds of providers that may be called at an address of the sender's. */
  ownKinds: ReadonlySet<string>;
  /** The end of a sentence that says why an address is never called; undefined when it may be. */
  addressFault: (url: string) => string | undefined;
  /** The same for the host of a server that speaks no HTTP. */
  hostFault: (host: string) => string | undefined;
  /** The same for a folder that file tools are to use. */
  folderFault: (path: string) => string | undefined;
  /** The same for a connection string of `sql_query`. */
  databaseFault: (connection: string) => string | undefined;
  /** `spec.vectors` of runtime.yaml, and DATABASE_URL as its `dsn`. */
  vectors: VectorPlace;
}

/** Where a vendor of embeddings or reranking is called, and by which key. */
export interface VendorPlace {
  provider: string;
  endpoint?: string | undefined;
  api_key_env?: string | undefined;
}

/** Where vectors are kept. */
export interface VectorPlace {
  backend?: string | undefined;
  url?: string | undefined;
  dsn?: string | undefined;
  api_key_env?: string | undefined;
}
