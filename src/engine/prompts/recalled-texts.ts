/** What was recalled from one source: as a block of text that marks it as data, and item by item for templates that lay it out. */
export interface RecalledText {
  /** Empty when there is nothing. */
  text: string;
  items: readonly Readonly<Record<string, unknown>>[];
}

/** Where recalled things come from. */
export type RecalledSource = "memories" | "episodes" | "passages";
export type RecalledTexts = Readonly<Record<RecalledSource, RecalledText>>;

/** The variables that show each source: as text, and as a list. */
const variablesOf: Readonly<Record<RecalledSource, { text: string; items: string }>> = {
  memories: { text: "semantic_context", items: "semantic_memories" },
  episodes: { text: "episodic_context", items: "episodic_memories" },
  passages: { text: "knowledge", items: "knowledge_passages" },
};

const sources = Object.keys(variablesOf) as RecalledSource[];

/** Their names. */
export const recalledVariables: readonly string[] = sources.flatMap((source) =>
  Object.values(variablesOf[source]),
);

/** Their values. */
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

/** The sources that no template with these names in it can show: they are said before the user's message. */
export function recalledUnshown(namesOfTemplates: readonly ReadonlySet<string>[]): RecalledSource[] {
  return sources.filter((source) => {
    const { text, items } = variablesOf[source];
    return !namesOfTemplates.some((names) => names.has(text) || names.has(items));
  });
}

const nothing: RecalledText = { text: "", items: [] };

/** What is recalled where there is nothing to look into. */
export const noRecalledTexts: RecalledTexts = { memories: nothing, episodes: nothing, passages: nothing };
