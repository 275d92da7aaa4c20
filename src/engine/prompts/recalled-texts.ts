/** Texts recalled from one source: as a block marked as data, and as items for templates with their own layout. */
export interface RecalledText {
  /** Empty if nothing was recalled. */
  text: string;
  items: readonly Readonly<Record<string, unknown>>[];
}

/** Sources of recalled texts. */
export type RecalledSource = "memories" | "episodes" | "passages";
export type RecalledTexts = Readonly<Record<RecalledSource, RecalledText>>;

/** Template variables for each source: as text, and as a list. */
const variablesOf: Readonly<Record<RecalledSource, { text: string; items: string }>> = {
  memories: { text: "semantic_context", items: "semantic_memories" },
  episodes: { text: "episodic_context", items: "episodic_memories" },
  passages: { text: "knowledge", items: "knowledge_passages" },
};

const sources = Object.keys(variablesOf) as RecalledSource[];

/** Names of all variables for recalled texts. */
export const recalledVariables: readonly string[] = sources.flatMap((source) =>
  Object.values(variablesOf[source]),
);

/** Values of all variables for recalled texts. */
export function recalledValues(recalled: RecalledTexts): Record<string, unknown> {
  return Object.fromEntries(
    sources.flatMap((source) => {
      const { text, items } = variablesOf[source];
      return [
        [text, recalled[source].text],
        [items, recalled[source].items],
      ];
    }),
  );
}

/** The sources that no template with these names can show. Their texts precede the user's message. */
export function recalledUnshown(namesOfTemplates: readonly ReadonlySet<string>[]): RecalledSource[] {
  return sources.filter((source) => {
    const { text, items } = variablesOf[source];
    return !namesOfTemplates.some((names) => names.has(text) || names.has(items));
  });
}

const nothing: RecalledText = { text: "", items: [] };

/** Empty texts, for agents without sources. */
export const noRecalledTexts: RecalledTexts = { memories: nothing, episodes: nothing, passages: nothing };
