import { Alert } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { PipelineDetail } from "../../../../contracts/daemon/rag/rag-pipelines.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { useExisting } from "../../../parts/states/use-existing.ts";
import { collectionTexts, pipelineTexts as texts } from "../../../texts/studio/knowledge.ts";
import { useDaemon } from "../../use-daemon.ts";
import { knowledgeKeys, knowledgePaths } from "../knowledge-paths.ts";
import { PipelineEditor } from "./pipeline-editor.tsx";

const up = { href: knowledgePaths.all, label: collectionTexts.up };

/** The manifest of a new or a loaded pipeline. */
export default function PipelinePage() {
  const [name] = useUrlState("name");
  return name === "" ? (
    <>
      <PageHeader title={texts.newTitle} up={up} lead={texts.newNote} />
      <PipelineEditor />
    </>
  ) : (
    <LoadedPipeline key={name} name={name} />
  );
}

function LoadedPipeline({ name }: { name: string }) {
  const daemon = useDaemon();
  const query = useExisting(
    useQuery({
      queryKey: [...knowledgeKeys.pipelines, name],
      queryFn: () => daemon.readPipeline(name),
    }),
  );
  return (
    <>
      <PageHeader title={texts.editTitle(name)} up={up} />
      <Loaded query={query}>
        {(pipeline) => (
          <div className="ar-stack">
            <Note pipeline={pipeline.value} />
            <PipelineEditor read={pipeline} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Note({ pipeline: { file, error } }: { pipeline: PipelineDetail }) {
  if (error !== undefined) {
    return (
      <Alert variant="outline" className="ar-warning" title={texts.brokenNote}>
        <span className="ar-break">{error}</span>
      </Alert>
    );
  }
  return (
    <p className="ar-soft ar-knowledge-note">
      {file === undefined ? texts.inMemoryNote : texts.inFile(file)}
    </p>
  );
}
