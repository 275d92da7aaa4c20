import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { toolsFingerprint } from "./agent-tools.ts";

/** Tells its listeners when the answer to `tools/list` changes. It looks only while there are listeners. */
export class ToolAnnouncements {
  readonly #catalog: AgentCatalog;
  readonly #listeners = new Set<() => void>();
  #announced = "";

  constructor(catalog: AgentCatalog) {
    this.#catalog = catalog;
    catalog.onChange(() => this.#look());
  }

  /** Adds a listener until the returned function is called. */
  add(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#announced = toolsFingerprint(this.#catalog);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #look(): void {
    if (this.#listeners.size === 0) return;
    const now = toolsFingerprint(this.#catalog);
    if (now === this.#announced) return;
    this.#announced = now;
    for (const listener of this.#listeners) listener();
  }
}
