import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { pipelineTexts, knowledgeTexts as texts } from "../../texts/studio/knowledge.ts";
import { useDaemon } from "../use-daemon.ts";
import { CollectionTable } from "./collection-table.tsx";
import { JobList } from "./job-list.tsx";
import { knowledgeKeys, knowledgePaths } from "./knowledge-paths.ts";
import { NewCollectionDialog } from "./new-collection-dialog.tsx";
import { PipelineTable } from "./pipelines/pipeline-table.tsx";

/** Document collections, the pipelines that fill them, and current jobs. */
export default function KnowledgePage() {
  const daemon = useDaemon();
  const collections = useQuery({ queryKey: knowledgeKeys.collections, queryFn: daemon.listCollections });
  const pipelines = useQuery({ queryKey: knowledgeKeys.pipelines, queryFn: daemon.listPipelines });
  const [isNaming, setNaming] = useState(false);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button onClick={() => setNaming(true)}>{texts.upload}</Button>
      </PageHeader>
      <div className="ar-stack">
        <Panel title={texts.collections} flush>
          <Loaded query={collections} rows={3}>
            {(data) =>
              data.collections.length === 0 ? (
                <div className="ar-panel-body">
                  <EmptyState text={texts.noCollections} />
                </div>
              ) : (
                <CollectionTable collections={data.collections} />
              )
            }
          </Loaded>
        </Panel>
        <Panel
          title={pipelineTexts.title}
          flush
          actions={
            <Button component={Link} href={knowledgePaths.newPipeline} size="xs" variant="default">
              {pipelineTexts.new}
            </Button>
          }
        >
          <Loaded query={pipelines} rows={2}>
            {(data) =>
              data.pipelines.length === 0 ? (
                <div className="ar-panel-body">
                  <EmptyState text={pipelineTexts.none} />
                </div>
              ) : (
                <PipelineTable pipelines={data.pipelines} />
              )
            }
          </Loaded>
        </Panel>
        <JobList />
      </div>
      {isNaming && <NewCollectionDialog close={() => setNaming(false)} />}
    </>
  );
}
