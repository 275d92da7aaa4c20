import { AppError, toAppError } from "../../kit/app-error.ts";
import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import type { Passage } from "../tools/rag/agent-knowledge.ts";
import type { KnowledgeBinding } from "./recall-sources.ts";
import type { Run } from "./run.ts";

/**
 * Passages of the agent's documents for the query, traced as `knowledge`. An agent with documents doesn't answer without them: throws
 * AppError if they can't be searched.
 */
export async function recallPassages(run: Run, knowledge: KnowledgeBinding): Promise<Passage[]> {
  const { agent, request, signal, tape, trace, query } = run;
  const span = trace.start("knowledge", { pipeline: knowledge.pipeline });
  const live = () =>
    untilAborted(signal, async () => {
      const pipeline = knowledge.find(request.tenant) ?? missing(agent.name, knowledge.pipeline);
      return [...(await pipeline.query({ query, topK: knowledge.topK, signal }))];
    });
  try {
    const passages = await (tape?.recalled({ agent: agent.name }, { of: "knowledge", query }, live, signal) ??
      live());
    span.set("passages", passages.length);
    span.set(
      "scores",
      passages.map(({ score }) => score),
    );
    span.end();
    return passages;
  } catch (thrown) {
    span.set("error", toAppError(thrown).code);
    span.end("ERROR");
    throw thrown;
  }
}

function missing(agent: string, pipeline: string): never {
  throw new AppError(
    "unavailable",
    "pipeline_not_loaded",
    `Agent ${agent} answers from the pipeline ${pipeline}, which is not loaded.`,
    { details: { hint: "Put its file into rag/, or mend it: GET /v1/rag/pipelines says what is wrong." } },
  );
}
