/** Returns a tool entry that searches a collection without a pipeline. */
export const collectionTool = (collection: string) => ({
  name: `search_${collection.replace(/[^a-zA-Z0-9_-]/g, "_")}`.slice(0, 64),
  type: "rag",
  config: { collection },
});
