import { readSse } from "../../../kit/sse.ts";
import type { Model, ModelEvent, ModelParameters, ModelRequest } from "../model.ts";
import { ModelFailure } from "../model-failure.ts";
import { startIdleWatch } from "./idle-watch.ts";
import { AnswerReader } from "./openai/answer-reader.ts";
import { createBodyWriter } from "./openai/body.ts";
import { type Address, createConnection } from "./openai/connection.ts";
import type { Dialect } from "./openai/dialect.ts";
import type { Subject } from "./openai/failure.ts";
import { listModels } from "./openai/list-models.ts";
import type { ProviderPorts } from "./provider-ports.ts";

export interface OpenAiCompatibleOptions extends Address {
  provider: string;
  model: string;
  local: boolean;
  account?: string;
  contextWindow: number;
  parameters: ModelParameters;
  dialect: Dialect;
}

/** What the data of one streamed answer may add up to. */
const streamCharsMax = 16 * 1024 * 1024;

/** A model behind OpenAI's Chat Completions protocol: calls `POST …/chat/completions`, streamed or in one piece. */
export function createOpenAiCompatible(options: OpenAiCompatibleOptions, ports: ProviderPorts): Model {
  const { provider, model } = options;
  const subject: Subject = { name: `${provider}/${model}`, model, dialect: options.dialect };
  const connection = createConnection(subject, options, "/chat/completions", ports);
  const writeBody = createBodyWriter(model, options.parameters, options.dialect);

  async function* call(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const watch = startIdleWatch(ports.clock, options.timeoutMs, signal);
    const reader = new AnswerReader(subject, request, ports.newId);
    let began = false;
    try {
      const response = await connection.send({ method: "POST", body: writeBody(request) }, watch);
      began = true;
      watch.touch();
      const type = response.headers.get("content-type") ?? "";
      if (type.includes("text/html")) throw connection.webPage();
      const isStream = type.includes("event-stream") || (request.stream && !type.includes("json"));
      if (!isStream || !response.body) {
        const text = reader.take(await connection.readWhole(response));
        if (text !== "") yield { type: "text", text };
      } else {
        // The hot path: a token costs one parse and one event; no timer, no closure.
        let chars = 0;
        let isDone = false;
        reading: for await (const payloads of readSse(response.body)) {
          watch.touch();
          for (const payload of payloads) {
            isDone = payload === "[DONE]";
            if (isDone) break reading;
            chars += payload.length;
            if (chars > streamCharsMax) throw connection.tooLong();
            const text = reader.take(payload);
            if (text !== "") yield { type: "text", text };
          }
        }
        if (!isDone && !reader.isComplete) throw connection.cutOff();
      }
      yield* reader.close();
    } catch (thrown) {
      signal.throwIfAborted();
      // What breaks after the model said why it stopped can only have cost us the usage.
      if (reader.isComplete && !(thrown instanceof ModelFailure)) yield* reader.close();
      else throw connection.asFailure(thrown, watch, began);
    } finally {
      watch.stop();
    }
  }

  return {
    provider,
    model,
    endpoint: options.base.href,
    ...(options.account === undefined ? {} : { account: options.account }),
    local: options.local,
    simulated: false,
    contextWindow: options.contextWindow,
    call,
    async probe(signal) {
      await listModels(provider, options, ports, signal);
    },
  };
}
