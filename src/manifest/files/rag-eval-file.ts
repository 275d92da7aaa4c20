import { type Static, Type } from "@sinclair/typebox";
import type { ManifestKind } from "../schema/manifest-kind.ts";
import { closed, objectName, openObject, text, whole } from "../schema/schema-vocabulary.ts";

const expected = closed(
  {
    document: text(255, { description: "The id of a document in which the answer stands." }),
    contains: Type.Optional(
      text(2000, {
        description:
          "What the passage must hold besides; capitals and the number of spaces don't count. Absent: any passage of the document will do.",
      }),
    ),
  },
  { description: "A passage that answers the query." },
);

const golden = closed(
  {
    query: text(8192, { description: "The question." }),
    expect: Type.Array(expected, {
      minItems: 1,
      maxItems: 100,
      description: "What should be found, in any order; all of it counts.",
    }),
    filters: Type.Optional(openObject({ description: "What a passage's metadata must be, as in a query." })),
  },
  { description: "One question and what answers it." },
);

/** The schema of *.rag-eval.yaml. */
export const RagEvalFileSchema = closed(
  {
    description: Type.Optional(text(4096, { description: "For people." })),
    pipeline: Type.Optional(objectName({ description: "The pipeline to ask; this or `collection`." })),
    collection: Type.Optional(text(63, { description: "The collection to ask." })),
    k: whole(1, 1000, { description: "How many passages of each answer count.", default: 5 }),
    cases: Type.Array(golden, { minItems: 1, maxItems: 10_000, description: "The golden set." }),
  },
  {
    title: "*.rag-eval.yaml",
    description: "A golden set: questions, and where their answers stand. `argosy rag eval` measures by it.",
  },
);

export type RagEvalFile = Static<typeof RagEvalFileSchema>;
export type GoldenCase = RagEvalFile["cases"][number];

export const ragEvalFileKind: ManifestKind<RagEvalFile> = {
  id: "rag-eval",
  schema: RagEvalFileSchema,
  rules({ pipeline, collection, cases }, report) {
    if (pipeline === undefined && collection === undefined)
      report([], "must name a `pipeline` or a `collection`");
    const first = new Map<string, number>();
    for (const [index, { query, filters }] of cases.entries()) {
      const questionKey = JSON.stringify([query, filters]);
      const earlier = first.get(questionKey);
      if (earlier !== undefined)
        report(["cases", index, "query"], `is the same as that of case ${earlier + 1}`);
      first.set(questionKey, earlier ?? index);
    }
  },
};
