import { Alert } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { PipelineDetail } from "../../../contracts/daemon/rag/rag-pipelines.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { useUrlState } from "../../parts/use-url-state.ts";
import { collectionTexts, pipelineTexts as texts } from "../../texts/studio-knowledge.ts";
import { knowledgeKeys, knowledgePaths } from "./knowledge-paths.ts";
import { PipelineEditor } from "./pipeline-editor.tsx";

const up = { href: knowledgePaths.all, label: collectionTexts.up };

/** The manifest of a new or a loaded pipeline. */
export default function PipelinePage() {
  const [name] = useUrlState("name");
  return name === "" ? (
    <>
      <PageHead title={texts.newTitle} up={up} lead={texts.newNote} />
      <PipelineEditor />
    </>
  ) : (
    <LoadedPipeline key={name} name={name} />
  );
}

function LoadedPipeline({ name }: { name: string }) {
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: [...knowledgeKeys.pipelines, name],
    queryFn: () => daemon.getPipeline(name),
  });
  return (
    <>
      <PageHead title={texts.editTitle(name)} up={up} />
      <Loaded query={query}>
        {(pipeline) => (
          <div className="ar-stack">
            <Note pipeline={pipeline} />
            <PipelineEditor pipeline={pipeline} />
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
