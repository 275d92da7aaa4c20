import type { EmbeddingList, EmbeddingsRequest } from "../../../contracts/daemon/openai.ts";
import { estimateTokens } from "../../../engine/models/token-count.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import { countSteps, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Embedder } from "../../../retrieval/embedding/embedder.ts";
import type { DaemonRag } from "../rag/daemon-rag.ts";
import { invalid } from "./chat-messages.ts";

/**
 * Embeds texts as unit vectors with an embedder of this installation: `local_hash`, or `<embedder>/<model>`. Throws `model_not_found` (404)
 * or the embedder's error.
 */
export async function embedTexts(
  deps: { rag: DaemonRag; gate: AdmissionGate },
  { model, input, dimensions, encoding_format }: EmbeddingsRequest,
  signal: AbortSignal,
): Promise<EmbeddingList> {
  const texts = typeof input === "string" ? [input] : input;
  const empty = texts.findIndex((text) => text.trim() === "");
  if (empty !== -1) throw invalid(typeof input === "string" ? "input" : `input[${empty}]`, "is empty");
  const embedder = embedderOf(deps, model, dimensions ?? undefined);
  const leave = await deps.gate.enter(signal);
  try {
    const vectors = await embedder.embed(texts, "document", signal);
    const length = vectors.length / texts.length;
    const data: EmbeddingList["data"] = [];
    let tokens = 0;
    for (const [index, text] of texts.entries()) {
      const vector = vectors.slice(index * length, (index + 1) * length);
      data.push({ object: "embedding", index, embedding: written(vector, encoding_format === "base64") });
      tokens += estimateTokens(text);
      if (countSteps(text.length + length * stepsPerNumber)) await othersTurn();
    }
    return { object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  } finally {
    leave();
  }
}

const stepsPerNumber = 5;

/** The format is little-endian, as is every machine that Argosy runs on. */
function written(vector: Float32Array, asBase64: boolean): string | number[] {
  return asBase64 ? Buffer.from(vector.buffer).toString("base64") : [...vector];
}

function embedderOf({ rag }: { rag: DaemonRag }, model: string, dimension: number | undefined): Embedder {
  const [provider = "", ...name] = model.split("/");
  try {
    return rag.parts.embedderOf({
      provider,
      ...(name.length > 0 && { model: name.join("/") }),
      ...(dimension !== undefined && { dimension }),
    });
  } catch (thrown) {
    const [problem] = thrown instanceof AppError ? (thrown.details.problems ?? []) : [];
    if (problem === undefined) throw thrown;
    if (problem.path === "dimension") throw invalid("dimensions", problem.message);
    throw new AppError("not_found", "model_not_found", `There is no embedder ${JSON.stringify(model)}.`, {
      details: { hint: `${problem.path} ${problem.message}.` },
    });
  }
}
