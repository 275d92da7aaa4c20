import { dieWithParent } from "../../kit/process/die-with-parent.ts";
import { splitLines } from "../../kit/text/split-lines.ts";
import type { OnnxFault, Reply, Request } from "../process/messages.ts";
import { packed, unpacked } from "../process/packed.ts";
import { startEngine } from "./engine.ts";
import { Generations, shownText } from "./generations.ts";
import { LoadedModels } from "./loaded-models.ts";
import { faultOf } from "./model-fault.ts";
import { runModel } from "./run-model.ts";
import { textLogits, textVectors } from "./text-rows.ts";
import { Tokenizers } from "./tokenizers.ts";

const LINE_BYTES_MAX = 128 * 1024 * 1024;

/**
 * The child's side of `OnnxProcess`: answers each request line with one JSON line until its input or its parent ends. It runs as its own
 * process, because a running model can't be stopped from outside.
 */
export async function runOnnxChild(): Promise<void> {
  dieWithParent();
  const answer = createAnswers();
  process.stdout.write("\n");
  for await (const line of splitLines(Bun.stdin.stream(), LINE_BYTES_MAX)) {
    const reply = await answer(unpacked(JSON.parse(line)) as Request);
    process.stdout.write(`${JSON.stringify(packed(reply))}\n`);
  }
}

function createAnswers(): (request: Request) => Promise<Reply> {
  const engine = startEngine();
  const models = new LoadedModels(engine);
  const tokenizers = new Tokenizers();
  const generations = new Generations(engine);

  return async (request) => {
    try {
      const value = await carriedOut(request);
      return value === undefined ? { absent: true } : { value };
    } catch (thrown) {
      return { fault: faultOf(thrown, codeOf(request)) };
    }
  };

  /** Carries out a request; returns undefined if the model has to be loaded first. */
  async function carriedOut(request: Request): Promise<unknown> {
    switch (request.op) {
      case "load": {
        const { inputs, outputs } = await models.load(request.model, request.bytesMax);
        return { inputs, outputs };
      }
      case "unload":
        await models.unload(request.model);
        return null;
      case "run": {
        const model = models.find(request.model);
        return model && (await runModel(engine, model, request.feeds));
      }
      case "tokens":
        return tokenizers.get(request.tokenizer).whole(request.text, request.special);
      case "vectors": {
        const model = models.find(request.model);
        if (!model) return undefined;
        const encoding = tokenizers.get(request.tokenizer);
        const texts = request.texts.map((text) => encoding.one(text, request.tokensMax));
        return await textVectors(engine, model, texts, request.pooling);
      }
      case "logits": {
        const model = models.find(request.model);
        if (!model) return undefined;
        const encoding = tokenizers.get(request.tokenizer);
        const pairs = request.pairs.map(([one, other]) => encoding.pair(one, other, request.tokensMax));
        return await textLogits(engine, model, pairs);
      }
      case "step": {
        const model = models.find(request.model);
        if (!model) return undefined;
        const tokens = [...request.tokens];
        const token = await generations.next(request.generation, model, tokens);
        return { token, ...shownText(tokenizers.get(request.tokenizer), [...tokens, token], request.shown) };
      }
      case "rest": {
        const encoding = tokenizers.get(request.tokenizer);
        return shownText(encoding, [...request.tokens], request.shown, true);
      }
      case "end":
        generations.end(request.generation);
        return null;
    }
  }
}

const codeOf = ({ op }: Request): OnnxFault["code"] => (op === "load" ? "model_invalid" : "onnx_failed");
