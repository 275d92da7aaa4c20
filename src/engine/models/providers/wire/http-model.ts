import type { Model, ModelEvent, ModelRequest } from "../../model.ts";
import { ModelFailure } from "../../model-failure.ts";
import type { ProviderPorts } from "../provider-kind.ts";
import type { Address } from "./address.ts";
import { createProviderClient } from "./connection.ts";
import { mayBlameShape, type Subject } from "./failure.ts";
import { type SpareControllers, startIdleWatch } from "./idle-watch.ts";
import type { WireFormat } from "./wire-format.ts";

export interface HttpModelOptions
  extends Pick<
    Model,
    "provider" | "local" | "account" | "contextWindow" | "answerTokensMax" | "stops" | "probe"
  > {
  subject: Subject;
  address: Address;
  wire: WireFormat;
}

/** Maximum characters of all JSON texts in one streamed answer. */
const streamCharsMax = 16 * 1024 * 1024;

/** A text of this length is read in less than a millisecond: no need to ask whose turn it is. */
const isLong = (json: string) => json.length > 64 * 1024;

/** Wait for the usage after the model said why it stopped: some servers then say nothing and keep the connection open. */
const usageGraceMs = 250;

/** Creates a model on a server that is called by `POST`, streamed or in one piece. */
export function createHttpModel(
  { subject, address, wire, ...about }: HttpModelOptions,
  ports: ProviderPorts,
): Model {
  const connection = createProviderClient(subject, address, wire.chatRoute, ports);

  const spareControllers: SpareControllers = new WeakMap();

  /** False once the server has refused a schema and accepted the same request without it. */
  let takesShapes = true;

  function call(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const shape = takesShapes ? wire.shapeOf(request) : undefined;
    return shape === undefined ? attempt(request, undefined, signal) : shapeOrNone(request, shape, signal);
  }

  /** Requests an answer with a schema. If the server refuses it, retries without: the prompt describes the schema, too. */
  async function* shapeOrNone(
    request: ModelRequest,
    shape: string,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    let hasBegun = false;
    try {
      for await (const event of attempt(request, shape, signal)) {
        hasBegun = true;
        yield event;
      }
    } catch (thrown) {
      if (hasBegun || !(thrown instanceof ModelFailure) || !mayBlameShape(thrown)) throw thrown;
      for await (const event of attempt(request, undefined, signal)) {
        if (thrown.failure === "caller") takesShapes = false;
        yield event;
      }
    }
  }

  async function* attempt(
    request: ModelRequest,
    shape: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const watch = startIdleWatch(ports.clock, address.timeoutMs, signal, spareControllers);
    const { body, reader } = wire.begin(request, shape);
    let began = false;
    let wasReadWhole = false;
    const takeInPieces = async (json: string) =>
      reader.takeValue(await connection.parseLong(json, watch.signal));
    try {
      const response = await connection.send({ method: "POST", body }, watch);
      began = true;
      watch.touch();
      const type = response.headers.get("content-type") ?? "";
      if (type.includes("text/html")) throw connection.webPage();
      const isStream = type.includes(wire.streamType) || (request.stream && !/[/+]json/.test(type));
      if (!isStream || !response.body) {
        const whole = await connection.readWhole(response);
        const text = isLong(whole) ? await takeInPieces(whole) : reader.take(whole);
        wasReadWhole = true;
        if (text !== "") yield { type: "text", text };
      } else {
        // Hot path: each token costs one parse and each chunk one event, without timers or closures.
        let chars = 0;
        let isEnding = false;
        for await (const payloads of wire.readStream(response.body)) {
          watch.touch();
          let texts: string[] | undefined;
          try {
            for (const payload of payloads) {
              chars += payload.length;
              if (chars > streamCharsMax) throw connection.tooLong();
              const text = isLong(payload) ? await takeInPieces(payload) : reader.take(payload);
              if (text !== "") {
                if (request.bundles !== true || payloads.length === 1) yield { type: "text", text };
                else if (texts === undefined) texts = [text];
                else texts.push(text);
              }
              if (reader.isDone) break;
            }
          } catch (thrown) {
            // The texts before a fault arrived and belong to the answer.
            if (texts !== undefined) yield { type: "texts", texts };
            throw thrown;
          }
          if (texts !== undefined) yield { type: "texts", texts };
          if (reader.isDone) break;
          if (isEnding || !reader.isComplete) continue;
          isEnding = true;
          watch.endWithin(usageGraceMs);
        }
        if (!reader.isComplete && !reader.isDone) throw connection.cutOff();
      }
      yield* reader.close();
    } catch (thrown) {
      signal.throwIfAborted();
      // If the stream breaks after the stop reason, only the usage is lost.
      if (reader.isComplete && !(thrown instanceof ModelFailure)) yield* reader.close();
      else throw connection.asFailure(thrown, watch, began);
    } finally {
      watch.stop(wasReadWhole);
    }
  }

  return { ...about, model: subject.model, endpoint: address.base.href, simulated: false, call };
}
