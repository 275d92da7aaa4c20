import { Button, SegmentedControl, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { CollectionView } from "../../../contracts/daemon/rag/rag.ts";
import { UploadPanel } from "../../documents/upload-panel.tsx";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { knowledgeTexts, collectionTexts as texts } from "../../texts/studio/knowledge.ts";
import { useDaemon } from "../use-daemon.ts";
import { ChunkPreview } from "./chunks/chunk-preview.tsx";
import { CollectionMenu } from "./collection-menu.tsx";
import { CollectionStatus } from "./collection-status.tsx";
import { DocumentList } from "./document-list.tsx";
import { JobList } from "./job-list.tsx";
import { knowledgeKeys, knowledgePaths } from "./knowledge-paths.ts";
import { RetrievalTest } from "./retrieval/retrieval-test.tsx";
import { UseInAgentDialog } from "./use-in-agent-dialog.tsx";
import { useUploads } from "./use-uploads.ts";

const views = ["", "chunks", "search"] as const;

/** One collection: its documents, its chunking and a retrieval test. */
export default function CollectionPage() {
  const { collection: name = "" } = useParams();
  const daemon = useDaemon();
  const query = useQuery({ queryKey: knowledgeKeys.collections, queryFn: daemon.listCollections });
  const pipelines = useQuery({ queryKey: knowledgeKeys.pipelines, queryFn: daemon.listPipelines });
  const [view, setView] = useUrlState("view");
  const [pipeline, setPipeline] = useUrlState("pipeline");
  const uploads = useUploads(name, pipeline);
  const [isUsing, using] = useDisclosure(false);
  const collection = query.data?.collections.find((one) => one.name === name);
  const isMissing = query.data !== undefined && collection === undefined;
  const shown = views.find((one) => one === view) ?? "";
  // Pipelines that fill another collection do not apply.
  const own = (pipelines.data?.pipelines ?? []).filter((one) => one.collection === name);
  return (
    <>
      <PageHeader
        title={name}
        up={{ href: knowledgePaths.all, label: texts.up }}
        lead={
          isMissing
            ? texts.notYet
            : pipelines.data === undefined
              ? undefined
              : texts.lead(own.map((one) => one.name))
        }
        {...(collection === undefined ? {} : { mark: <CollectionStatus status={collection.status} /> })}
      >
        {collection !== undefined && (
          <>
            <Button onClick={using.open}>{texts.useInAgent}</Button>
            <CollectionMenu collection={collection} isLabelled />
          </>
        )}
      </PageHeader>
      {isUsing && <UseInAgentDialog collection={name} close={using.close} />}
      <Loaded query={query}>
        {() => (
          <div className="ar-stack">
            {collection !== undefined && <CollectionFigures collection={collection} />}
            <div className="ar-knowledge-bar">
              <SegmentedControl
                aria-label={texts.views}
                value={shown}
                data={[
                  { value: "", label: texts.documents },
                  { value: "chunks", label: texts.chunks },
                  { value: "search", label: texts.search },
                ]}
                onChange={setView}
              />
              {own.length > 1 && (
                <Select
                  aria-label={texts.pipeline}
                  allowDeselect={false}
                  data={[
                    { value: "", label: texts.noPipeline },
                    ...own.map((one) => ({ value: one.name, label: one.name })),
                  ]}
                  value={pipeline}
                  onChange={(value) => setPipeline(value ?? "")}
                />
              )}
            </div>
            {shown === "" && (
              <>
                <UploadPanel uploads={uploads} />
                <JobList collection={name} />
                {!isMissing && <DocumentList collection={name} />}
              </>
            )}
            {shown === "chunks" && (
              <ChunkPreview collection={name} pipeline={pipeline || own[0]?.name || ""} />
            )}
            {shown === "search" && <RetrievalTest collection={name} pipeline={pipeline} />}
          </div>
        )}
      </Loaded>
    </>
  );
}

function CollectionFigures({ collection }: { collection: CollectionView }) {
  const { documents, chunks, embedder, dimension, backend, created_at } = collection;
  return (
    <Figures
      figures={[
        { label: knowledgeTexts.documents, value: formatNumber(documents) },
        { label: knowledgeTexts.chunks, value: formatNumber(chunks) },
        {
          label: knowledgeTexts.embedder,
          value: <span className="ar-knowledge-word">{embedder}</span>,
          note: `${formatNumber(dimension)} ${knowledgeTexts.dimension.toLowerCase()}`,
        },
        {
          label: knowledgeTexts.store,
          value: <span className="ar-knowledge-word">{backend}</span>,
          note: [`${knowledgeTexts.created} `, <Instant key="at" iso={created_at} />],
        },
      ]}
    />
  );
}
