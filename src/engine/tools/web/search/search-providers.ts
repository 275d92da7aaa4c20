import { brave } from "./brave.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

/** Every search service by name, the default first. */
export const searchProviders: ReadonlyMap<string, SearchProvider> = new Map(
  [brave, tavily, searxng].map((provider) => [provider.name, provider]),
);
