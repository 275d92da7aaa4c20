import { type Problem, toAppError } from "../../../../kit/app-error.ts";
import { redacted } from "../../../../kit/secrets/secret-registry.ts";
import { invalidManifest } from "../../../../manifest/fault.ts";
import type { RagPipelineManifest } from "../../../../manifest/rag-pipeline.ts";
import { checkFile, type ManifestKind } from "../../../../manifest/schema/manifest-kind.ts";
import { isTrusted, type Sender } from "../../../../manifest/senders/sender.ts";
import type { RagPipeline } from "../../../../retrieval/rag/rag-pipeline.ts";
import { faultOf, placeProblems } from "../../manifests/manifest-fault.ts";
import { type ManifestNaming, nameOfFile } from "../../manifests/manifest-files.ts";
import type { Made, ManifestSource } from "../../manifests/manifest-folder.ts";
import { senderOf } from "../../manifests/manifest-sender.ts";
import type { ObservedVariables } from "../../manifests/observed-variables.ts";

/** Naming rules for pipeline files. */
export const pipelineNaming: ManifestNaming = {
  what: "rag",
  ending: /\.rag\.ya?ml$/,
  newEnding: ".rag.yaml",
};

/** A runnable version of a pipeline and the text it was built from. */
export interface PipelineVersion {
  name: string;
  text: string;
  manifest: RagPipelineManifest;
  pipeline: RagPipeline;
}

/** Source of a pipeline as last read: a file or a manifest sent through the API. */
export interface PipelineSource extends ManifestSource {
  sender: Sender;
  /** Manifest parsed from the text; undefined if the text is not a valid manifest. */
  manifest: RagPipelineManifest | undefined;
  version: PipelineVersion | undefined;
}

/** Settings and functions that pipelines are built with. */
export interface PipelineLoader {
  /** Folder whose `*.rag.yaml` files are pipelines, including subfolders. */
  folder: string;
  /** Folder that displayed file names are relative to. */
  workspace: string;
  kind: ManifestKind<RagPipelineManifest>;
  variables: ObservedVariables;
  /** Returns the parts of a manifest that its sender may not use. */
  vet: (manifest: RagPipelineManifest, sender: Sender) => Problem[];
  build: (manifest: RagPipelineManifest, sender: Sender) => RagPipeline;
}

/** Builds the manifest and the runnable version from the text of a file. */
export function makePipeline(loader: PipelineLoader, text: string, file: string): Made<PipelineSource> {
  const sender = senderOf(text);
  const checked = checkFile(loader.kind, text, isTrusted(sender) ? loader.variables.read : undefined);
  if ("problems" in checked) {
    const fault = faultOf(invalidManifest(checked.problems, file));
    return { ...nothing, sender, name: nameOfFile(file, pipelineNaming), fault };
  }
  const { manifest } = checked;
  const { name } = manifest.metadata;
  try {
    const refused = loader.vet(manifest, sender);
    if (refused.length > 0) throw invalidManifest(refused);
    const version = { name, text, manifest, pipeline: loader.build(manifest, sender) };
    return { name, sender, manifest, version, fault: undefined };
  } catch (thrown) {
    const { problems = [] } = toAppError(thrown).details;
    const placed = problems.length === 0 ? thrown : invalidManifest(placeProblems(problems, text), file);
    return { name, sender, manifest, version: undefined, fault: faultOf(placed) };
  }
}

const nothing = { manifest: undefined, version: undefined };

/** The mask shown in place of a secret can't be sent back as the secret. */
export function maskedSecrets({ spec }: RagPipelineManifest): Problem[] {
  if (!JSON.stringify(spec).includes(redacted)) return [];
  const message = `contains "${redacted}", a placeholder for a hidden secret; enter the secret itself`;
  return [{ path: "spec", message }];
}
