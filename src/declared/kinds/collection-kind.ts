import type { WorkspaceKind } from "../workspace-kind.ts";

export const collectionType = "platform.collection";

/** Collections of the tenant's documents. A pipeline declares one; how it is read and searched is the operator's setting. */
export const collectionKind: WorkspaceKind = {
  type: collectionType,
  async observe({ tenant }, named) {
    const { collections } = await tenant.listCollections();
    const names = new Set(named.map(({ name }) => name));
    return collections
      .filter(({ name }) => names.has(name))
      .map(({ name, documents }) => ({
        type: collectionType,
        name,
        id: name,
        config: {},
        masks: new Map(),
        ...(documents > 0 && { loss: `Deleting collection ${name} deletes its ${documents} documents.` }),
      }));
  },
  async create({ tenant }, { name }) {
    await tenant.putCollection(name);
  },
  async update() {},
  async delete({ tenant }, { name }) {
    await tenant.deleteCollection(name);
  },
};
