import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";

/** Settings of the manifest translator. */
export interface TranslatorConfig {
  /** Cloud accounts in the order of runtime.yaml; the first of a provider is its default. */
  accounts: readonly { name: string; provider: "gcp" | "aws"; driver: "embedded" }[];
}

/** Reads `spec.translator` of runtime.yaml; without accounts, there is the embedded account `local` of Google Cloud. */
export function readTranslator({ spec }: RuntimeFile): TranslatorConfig {
  const named = Object.entries(spec.translator?.accounts ?? {}).map(([name, account]) => ({
    name,
    ...account,
  }));
  return { accounts: named.length > 0 ? named : [{ name: "local", provider: "gcp", driver: "embedded" }] };
}
