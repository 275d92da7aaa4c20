import type { AgentKnowledge, KnowledgeBases } from "../../../engine/tools/rag/agent-knowledge.ts";
import { checkDocument } from "../../../retrieval/rag/ingest/document-content.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { type Aim, type DaemonRag, ingestInTurn, pipelineFor, searchCounted } from "./daemon-rag.ts";

/** Pipelines and collections for agents. The pipeline is looked up at each use, because its file may change. */
export function daemonKnowledge(rag: DaemonRag): KnowledgeBases {
  return {
    pipeline(tenant, name) {
      // Pipeline files belong to the operator.
      if (tenant !== operatorTenant || rag.pipelines.find(name) === undefined) return undefined;
      return knowledgeOf(rag, { tenant, pipeline: name });
    },
    collection: (tenant, name) => knowledgeOf(rag, { tenant, collection: name }),
  };
}

function knowledgeOf(rag: DaemonRag, aim: Aim): AgentKnowledge {
  const { tenant } = aim;
  return {
    async query({ query, topK, scoreThreshold, filter, signal }) {
      const pipeline = pipelineFor(rag, aim);
      const collection = aim.collection ?? pipeline.collection;
      const question = { tenant, collection, query, topK, threshold: scoreThreshold, filter, signal };
      // Without a collection, nothing was ingested yet and there are no passages.
      return (await searchCounted(rag, pipeline, question)) ?? [];
    },
    async ingest({ text, metadata, signal }) {
      const document = await checkDocument({ text, metadata });
      let chunksCreated = 0;
      const taken = ({ status, chunks }: { status: string; chunks: number }) => {
        if (status !== "unchanged") chunksCreated = chunks;
      };
      const order = { ...aim, documents: [document], signal };
      await ingestInTurn(rag, { ...order, taken: (_index, outcome) => taken(outcome) });
      return { documentId: document.id, chunksCreated };
    },
  };
}
