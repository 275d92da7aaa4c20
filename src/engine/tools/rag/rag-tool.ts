import { Type } from "@sinclair/typebox";
import { declaredParameters } from "../input-schema.ts";
import type { BindEntry } from "../tool-type.ts";
import type { Passage } from "./agent-knowledge.ts";

type Input = Record<string, unknown>;

const defaultParameters = Type.Object(
  { query: Type.String({ description: "What to look for.", minLength: 1, maxLength: 8192 }) },
  { additionalProperties: false },
);

/** `type: rag`: a call searches one document collection. */
export const bindRagTool: BindEntry<"rag"> = (
  { name, description, parameters, timeout_seconds, config: { collection, top_k, score_threshold } },
  { path, ports: { knowledge }, schemas },
) => {
  const declared = declaredParameters(parameters, defaultParameters, `${path}.parameters`, schemas);
  const problems = [
    ...(knowledge === undefined
      ? [{ path: `${path}.type`, message: "can't be honoured here: this process keeps no vectors" }]
      : []),
    ...("problems" in declared ? declared.problems : []),
  ];
  if (problems.length > 0 || "problems" in declared || knowledge === undefined) return { problems };
  return {
    tool: {
      name,
      type: "rag",
      description:
        description ??
        `Searches the documents of ${collection} and returns the passages that fit a question best.`,
      parameters: declared.parameters,
      async execute(input, { tenant, signal }) {
        const query = queryOf(input);
        if (query.trim() === "") return { success: false, error: `${name} needs something to look for.` };
        const passages = await knowledge.collection(tenant, collection).query({
          query,
          topK: top_k,
          scoreThreshold: score_threshold,
          signal,
        });
        return { success: true, data: passages.map(presentPassage) };
      },
      describeCall: (input) => ({ target: collection, operation: `search for ${queryOf(input)}` }),
    },
    read: declared.read,
    timeoutMs: timeout_seconds * 1000,
    hasNoEffects: true,
  };
};

/** A passage for models, with its source so that they can cite it. */
export function presentPassage({ text, score, metadata, citation }: Passage): Record<string, unknown> {
  const { documentId, ...place } = citation;
  return { text, score, metadata, citation: { document_id: documentId, ...place } };
}

/** If the entry declares its own parameters, `query` may be missing. Then all values are searched. */
function queryOf(input: Input): string {
  if (typeof input.query === "string") return input.query;
  return Object.values(input)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" ");
}
