import { refuseSettings, type VectorStoreKind } from "../store-kind.ts";

export const memoryKind: VectorStoreKind = {
  name: "memory",
  description: "In this process, gone when it ends, at most 512 MiB; for tests and trials.",
  problems: (settings) => refuseSettings(settings, ["url", "api_key_env", "dsn"]),
  async build() {
    const { createMemoryStore } = await import("./memory-store.ts");
    return createMemoryStore();
  },
};
