import { type Problem, toAppError } from "../../../kit/app-error.ts";
import { redacted } from "../../../kit/secret-registry.ts";
import { checkFile, type ManifestKind } from "../../../manifest/manifest-kind.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import type { RagPipelineManifest } from "../../../manifest/rag-pipeline.ts";
import type { RagPipeline } from "../../../retrieval/rag/rag-pipeline.ts";
import { faultOf, placeProblems } from "../agents/agent-version.ts";
import type { ObservedVariables } from "../agents/observed-variables.ts";
import { type ManifestNaming, nameOfFile } from "../manifests/manifest-files.ts";
import type { Made, ManifestSource } from "../manifests/manifest-folder.ts";

/** How pipeline files are known. */
export const pipelineNaming: ManifestNaming = {
  what: "rag",
  ending: /\.rag\.ya?ml$/,
  newEnding: ".rag.yaml",
};

/** One version of a pipeline that can run, and the text it was made from. */
export interface PipelineVersion {
  name: string;
  text: string;
  manifest: RagPipelineManifest;
  pipeline: RagPipeline;
}

/** One place that a pipeline comes from, as it was read last. */
export interface PipelineSource extends ManifestSource {
  /** What the text declares; undefined when it is no manifest. */
  manifest: RagPipelineManifest | undefined;
  version: PipelineVersion | undefined;
}

/** What pipelines are made with. */
export interface PipelineLoader {
  /** The folder whose `*.rag.yaml` files are pipelines, subfolders included. */
  folder: string;
  /** What file names are shown relative to. */
  workspace: string;
  kind: ManifestKind<RagPipelineManifest>;
  variables: ObservedVariables;
  build: (manifest: RagPipelineManifest) => RagPipeline;
}

/** What the text of a file declares and what can run of it. */
export function makePipeline(loader: PipelineLoader, text: string, file: string): Made<PipelineSource> {
  const checked = checkFile(loader.kind, text, loader.variables.read);
  if ("problems" in checked) {
    const fault = faultOf(invalidManifest(checked.problems, file));
    return { ...nothing, name: nameOfFile(file, pipelineNaming), fault };
  }
  const { manifest } = checked;
  const { name } = manifest.metadata;
  try {
    const version = { name, text, manifest, pipeline: loader.build(manifest) };
    return { name, manifest, version, fault: undefined };
  } catch (thrown) {
    const { problems = [] } = toAppError(thrown).details;
    const placed = problems.length === 0 ? thrown : invalidManifest(placeProblems(problems, text), file);
    return { name, manifest, version: undefined, fault: faultOf(placed) };
  }
}

const nothing = { manifest: undefined, version: undefined };

/**
 * What a pipeline that is sent may not say: whoever may call the API could otherwise have this machine's keys sent to any
 * address, or open files and databases that only the operator may name.
 */
export function reservedForFiles({ spec }: RagPipelineManifest): Problem[] {
  const problems: Problem[] = [];
  const only = (path: string, message: string) =>
    problems.push({ path, message: `${message}; only files of the operator may do that` });
  const { embeddings, vector_store: store } = spec;
  if (embeddings.endpoint !== undefined && embeddings.api_key_env !== undefined)
    only("spec.embeddings.api_key_env", "would send a key of this machine to the endpoint beside it");
  if (store.url !== undefined && store.api_key_env !== undefined)
    only("spec.vector_store.api_key_env", "would send a key of this machine to the address beside it");
  if (store.dsn !== undefined) only("spec.vector_store.dsn", "names a database");
  if (store.url !== undefined && !/^https?:\/\//i.test(store.url))
    only("spec.vector_store.url", "names a place that is no http:// or https:// address");
  if (JSON.stringify(spec).includes(redacted))
    problems.push({
      path: "spec",
      message: `holds "${redacted}", which stands for a secret that is not shown; put the secret itself there`,
    });
  return problems;
}
