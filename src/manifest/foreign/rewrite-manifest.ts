import { parseDocument } from "yaml";
import type { Problem } from "../../kit/app-error.ts";
import { pathOf } from "../fault.ts";
import type { ManifestKindName } from "../schema/kind-names.ts";
import type { ManifestKind } from "../schema/manifest-kind.ts";
import { inspectFile } from "../yaml/inspect-file.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import type { Variables } from "../yaml/variables.ts";
import { readHead, rewriteAgent } from "./foreign-agent.ts";
import { ForeignDocument, type Rewriting } from "./foreign-document.ts";
import { moveAll, readBlocks, readDurations, readKeys } from "./foreign-parts.ts";

/** The kinds of files that can be rewritten. */
export const rewrittenKinds = ["agent", "rag-pipeline", "providers", "runtime"] as const;
export type RewrittenKind = (typeof rewrittenKinds)[number] & ManifestKindName;

/** A file rewritten in Argosy's format. */
export interface RewrittenManifest {
  text: string;
  changes: Rewriting[];
  leftOut: Rewriting[];
  /** Problems that the user still has to fix. */
  problems: Problem[];
}

const rewritings: Readonly<Record<RewrittenKind, (file: ForeignDocument) => void>> = {
  agent: rewriteAgent,
  "rag-pipeline": rewritePipeline,
  providers: rewriteProviders,
  runtime: rewriteRuntime,
};

/**
 * Rewrites the spellings of other formats, and leaves out keys that Argosy does not have. Comments are kept. If the text is not YAML, it is
 * returned unchanged with its problem.
 */
export function rewriteManifest(
  text: string,
  { kind, schema, variables }: { kind: RewrittenKind; schema: ManifestKind<unknown>; variables: Variables },
): RewrittenManifest {
  const reading = readYaml(text);
  if ("problem" in reading) return { text, changes: [], leftOut: [], problems: [reading.problem] };
  const file = new ForeignDocument(parseDocument(text, { version: "1.2", schema: "core" }));
  readKeys(file);
  rewritings[kind](file);
  readDurations(file);
  const inspect = () => inspectFile(schema, file.toString(), { variables }).problems;
  // A key that is left out cannot have hidden another, so one pass is enough.
  const unknown = inspect().filter(({ message }) => message.startsWith("is not a known key"));
  for (const { path, message } of unknown) file.leaveOut(pathOf(path), message);
  const { changes, leftOut } = file;
  const isUntouched = changes.length === 0 && leftOut.length === 0;
  return { text: isUntouched ? text : file.toString(), changes, leftOut, problems: inspect() };
}

/** Returns the kind of a file whose name does not tell it: by its `kind`, or by typical keys. */
export function foreignKind(text: string): RewrittenKind | undefined {
  const reading = readYaml(text);
  if ("problem" in reading) return undefined;
  const { kind, providers, spec } = reading.value;
  const kindWord = typeof kind === "string" ? kind.toLowerCase().replaceAll(/[^a-z]/g, "") : "";
  if (kindWord === "agent") return "agent";
  if (["ragpipeline", "rag", "pipeline"].includes(kindWord)) return "rag-pipeline";
  if (providers !== undefined) return "providers";
  const parts = typeof spec === "object" && spec !== null ? { ...reading.value, ...spec } : reading.value;
  if (["chunking", "embeddings", "vector_store", "vectorStore"].some((key) => key in parts))
    return "rag-pipeline";
  if (["services", "limits", "api"].some((key) => key in parts) && !("model" in parts)) return "runtime";
  return "agent";
}

function rewritePipeline(file: ForeignDocument): void {
  if (!file.has(["spec"])) {
    const head = ["apiVersion", "kind", "metadata", "name", "version"];
    for (const key of file.keys([]).filter((each) => !head.includes(each))) file.move([key], ["spec", key]);
  }
  moveAll(file, [
    [["name"], ["metadata", "name"]],
    [
      ["spec", "name"],
      ["metadata", "name"],
    ],
    [
      ["spec", "embedding"],
      ["spec", "embeddings"],
    ],
    [
      ["spec", "store"],
      ["spec", "vector_store"],
    ],
    [
      ["spec", "reranker"],
      ["spec", "reranking"],
    ],
    [
      ["spec", "chunking", "size"],
      ["spec", "chunking", "chunk_size"],
    ],
    [
      ["spec", "chunking", "chunk_overlap"],
      ["spec", "chunking", "overlap"],
    ],
    [
      ["spec", "chunking", "type"],
      ["spec", "chunking", "strategy"],
    ],
    [
      ["spec", "embeddings", "source"],
      ["spec", "embeddings", "provider"],
    ],
    [
      ["spec", "embeddings", "base_url"],
      ["spec", "embeddings", "endpoint"],
    ],
    [
      ["spec", "embeddings", "dimensions"],
      ["spec", "embeddings", "dimension"],
    ],
    [
      ["spec", "vector_store", "type"],
      ["spec", "vector_store", "backend"],
    ],
    [
      ["spec", "vector_store", "provider"],
      ["spec", "vector_store", "backend"],
    ],
    [
      ["spec", "vector_store", "collection"],
      ["spec", "collection"],
    ],
    [
      ["spec", "retrieval", "k"],
      ["spec", "retrieval", "top_k"],
    ],
    [
      ["spec", "retrieval", "threshold"],
      ["spec", "retrieval", "similarity_threshold"],
    ],
    [
      ["spec", "retrieval", "score_threshold"],
      ["spec", "retrieval", "similarity_threshold"],
    ],
  ]);
  const backend = ["spec", "vector_store", "backend"];
  if (["in_memory", "in-memory", "inmemory"].includes(String(file.value(backend))))
    file.replace(backend, "memory");
  readHead(file, "RAGPipeline");
}

function rewriteProviders(file: ForeignDocument): void {
  for (const name of file.keys(["providers"])) {
    const entry = ["providers", name];
    for (const from of ["base_url", "api_base", "url"]) file.move([...entry, from], [...entry, "endpoint"]);
    file.move([...entry, "source"], [...entry, "type"]);
    const key = file.value([...entry, "api_key"]);
    const [, variable] = (typeof key === "string" ? /^\$\{?([A-Za-z_]\w*)\}?$/.exec(key) : null) ?? [];
    if (variable !== undefined) {
      file.discard([...entry, "api_key"]);
      file.add([...entry, "api_key_env"], variable);
    } else
      file.leaveOut(
        [...entry, "api_key"],
        "keys belong in environment variables; name the variable in `api_key_env`",
      );
  }
  file.move(["candidates"], ["default", "candidates"]);
  readBlocks(file, ["default", "candidates"]);
}

function rewriteRuntime(file: ForeignDocument): void {
  const head = ["apiVersion", "kind", "metadata", "spec"];
  if (!file.has(["spec"]))
    for (const key of file.keys([]).filter((each) => !head.includes(each))) file.move([key], ["spec", key]);
  for (const key of ["api", "server", "http"])
    for (const option of file.keys(["spec", key]))
      file.move(["spec", key, option], ["spec", "services", "daemon", option]);
  for (const key of ["api", "server", "http"]) file.prune(["spec", key]);
}
