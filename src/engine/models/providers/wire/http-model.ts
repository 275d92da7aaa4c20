import type { Clock } from "../../../../kit/clock.ts";
import type { LateEnd, Model, ModelEvent, ModelRequest, ToolChoice, ToolSpec } from "../../model.ts";
import { ModelFailure } from "../../model-failure.ts";
import type { ProviderPorts } from "../provider-kind.ts";
import type { ProviderAddress } from "./address.ts";
import { withUniqueCallIds } from "./call-ids.ts";
import { createProviderClient } from "./connection.ts";
import { mayBlameShape, type Subject } from "./failure.ts";
import { type IdleWatch, type SpareControllers, startIdleWatch } from "./idle-watch.ts";
import { createToolFilter } from "./tool-schemas.ts";
import type { AnswerReader, WireFormat } from "./wire-format.ts";

export interface HttpModelOptions
  extends Pick<
    Model,
    | "provider"
    | "local"
    | "account"
    | "contextWindow"
    | "hasGuessedWindow"
    | "answerTokensMax"
    | "stops"
    | "probe"
  > {
  subject: Subject;
  address: ProviderAddress;
  wire: WireFormat;
}

/** Maximum characters of all JSON texts in one streamed answer. */
const streamCharsMax = 16 * 1024 * 1024;

/** A text of this length is read in less than a millisecond: no need to ask whose turn it is. */
const isLong = (json: string) => json.length > 64 * 1024;

/*
 * Some servers keep the connection open after the model's finish reason, and some send more content after it. Nobody waits for the usage
 * longer than the grace. But an answer that may not be over is awaited: one without text, one with calls (there may be another one), one
 * whose reason came along with its text (some servers send one with every piece), and one whose server has gone on after a reason before,
 * in this answer or an earlier one. So a server that first goes on after a reason of its own and the grace costs one answer its end, which is
 * logged, and no later one.
 */
const graceMs = 250;
/** Longest wait for usage, or for an answer that may not be over, after the last content. */
const lastWordMs = 5000;

/** Creates a model on a server that is called by `POST`, streamed or in one piece. */
export function createHttpModel(
  { subject, address, wire, ...about }: HttpModelOptions,
  ports: ProviderPorts,
): Model {
  const connection = createProviderClient(subject, address, ports);

  const spareControllers: SpareControllers = new WeakMap();

  /** False once the server has refused a schema and accepted the same request without it. */
  let takesShapes = true;
  /** True once the server has sent content after a finish reason. */
  let goesOn = false;
  /** Time that an answer with a finish reason is waited for after its last content. */
  const patienceOf = (reader: AnswerReader): number =>
    goesOn ||
    reader.hasGoneOn ||
    (reader.isDoubtful && !reader.hasUsage) ||
    reader.hasCalls ||
    reader.chars === 0
      ? lastWordMs
      : graceMs;

  function call(given: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const messages = withUniqueCallIds(given.messages);
    const tools = given.tools.length === 0 ? given.tools : toolsOf(given.tools);
    const isSame = messages === given.messages && tools === given.tools;
    const request = isSame ? given : { ...given, messages, tools, toolChoice: choiceAmong(tools, given) };
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

  const toolsOf = createToolFilter(wire.schemaLimits, (tool, reason) =>
    ports.dialects?.report(subject.name, `${subject.name} is not offered the tool ${tool}: ${reason}.`),
  );

  function learnsFrom(thrown: unknown, sent: string): boolean {
    return (
      thrown instanceof ModelFailure &&
      thrown.sign?.sign === "status" &&
      thrown.cause instanceof Error &&
      wire.learn?.({ failure: thrown.failure, message: thrown.cause.message, sent }) === true
    );
  }

  async function* attempt(
    request: ModelRequest,
    shape: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const watch = startIdleWatch(ports.clock, address.timeoutMs, signal, spareControllers);
    let { body, reader } = wire.begin(request, shape);
    let began = false;
    let wasReadWhole = false;
    /** Closes the stream while it is being read. */
    let closeStream: (() => void) | undefined;
    let isHandedOn = false;
    try {
      let response: Response | undefined;
      while (response === undefined) {
        try {
          response = await connection.send(wire.chatRoute, { method: "POST", body }, watch);
        } catch (thrown) {
          // Each refusal teaches something new, so this ends.
          if (!learnsFrom(thrown, body)) throw thrown;
          ({ body, reader } = wire.begin(request, shape && wire.shapeOf(request)));
        }
      }
      began = true;
      watch.touch();
      const type = response.headers.get("content-type") ?? "";
      if (type.includes("text/html")) throw connection.webPage();
      const isStream = type.includes(wire.streamType) || (request.stream && !/[/+]json/.test(type));
      if (!isStream || !response.body) {
        const whole = await connection.readWhole(response);
        const text = isLong(whole)
          ? reader.takeValue(await connection.parseLong(whole, watch.signal))
          : reader.take(whole);
        wasReadWhole = true;
        const thoughts = request.thoughts === true ? reader.takeThoughts() : "";
        if (thoughts !== "") yield { type: "thoughts", text: thoughts };
        if (text !== "") yield { type: "text", text };
      } else {
        const source = wire.readStream(response.body)[Symbol.asyncIterator]();
        let reading = source.next();
        closeStream = () => void source.return?.()?.then(undefined, () => {});
        // Hot path: each token costs one parse and each chunk one event, without timers or closures.
        let chars = 0;
        let pieces = 0;
        /** Time of the last content or of the first reason. */
        let saidAtMs: number | undefined;
        while (!reader.isDone) {
          const waitedMs = saidAtMs === undefined ? 0 : ports.clock.monotonicMs() - saidAtMs;
          const read = await (reader.isComplete
            ? within(ports.clock, reading, patienceOf(reader) - waitedMs)
            : reading);
          if (read === undefined) {
            reading.catch(() => {});
            if (patienceOf(reader) > graceMs) break;
            const events = reader.close();
            const open = { source, reading, waitedMs: graceMs, watch, clock: ports.clock };
            const later = lateEnd(reader, open).then((late) => {
              if (late !== undefined && late.lostChars > 0) goesOn = true;
              return late;
            });
            closeStream = undefined;
            isHandedOn = true;
            for (const event of events) yield event.type === "end" ? { ...event, later } : event;
            return;
          }
          if (read.done === true) break;
          const payloads = read.value;
          watch.touch();
          let texts: string[] | undefined;
          try {
            for (const payload of payloads) {
              chars += payload.length;
              if (chars > streamCharsMax) throw connection.tooLong();
              const text = isLong(payload)
                ? reader.takeValue(await connection.parseLong(payload, watch.signal))
                : reader.take(payload);
              const thoughts = request.thoughts === true ? reader.takeThoughts() : "";
              if (thoughts !== "") {
                if (texts !== undefined) yield { type: "texts", texts };
                texts = undefined;
                yield { type: "thoughts", text: thoughts };
              }
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
          if (reader.isComplete && (saidAtMs === undefined || reader.pieces !== pieces))
            saidAtMs = ports.clock.monotonicMs();
          pieces = reader.pieces;
          reading = source.next();
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
      if (reader.hasGoneOn) goesOn = true;
      closeStream?.();
      if (!isHandedOn) watch.stop(wasReadWhole);
    }
  }

  return { ...about, model: subject.model, endpoint: address.base.href, simulated: false, call };
}

/** The choice of a request, unless it names a tool that can't be offered. */
function choiceAmong(tools: readonly ToolSpec[], { toolChoice }: ModelRequest): ToolChoice {
  if (tools.length === 0) return "auto";
  return typeof toolChoice === "object" && !tools.some(({ name }) => name === toolChoice.tool)
    ? "auto"
    : toolChoice;
}

interface OpenStream {
  source: AsyncIterator<readonly string[]>;
  reading: Promise<IteratorResult<readonly string[]>>;
  /** Time since the last content. */
  waitedMs: number;
  watch: IdleWatch;
  clock: Clock;
}

/**
 * Reads on after the end of an answer until its usage has come, for 5 seconds after the last content, or until the connection ends. If the
 * usage came before, only more text matters.
 */
async function lateEnd(
  reader: AnswerReader,
  { source, reading, waitedMs, watch, clock }: OpenStream,
): Promise<LateEnd | undefined> {
  const { chars, hasUsage: hadUsage } = reader;
  let [lastMs, pieces, next] = [clock.monotonicMs() - waitedMs, reader.pieces, reading];
  try {
    while (!reader.isDone && (hadUsage ? reader.chars === chars : !reader.hasUsage)) {
      const read = await within(clock, next, lastMs + lastWordMs - clock.monotonicMs());
      if (read === undefined || read.done === true) break;
      watch.touch();
      for (const payload of read.value) if (!isLong(payload)) reader.take(payload);
      if (reader.pieces !== pieces) [lastMs, pieces] = [clock.monotonicMs(), reader.pieces];
      next = source.next();
      // It is not awaited if the usage has come, and fails when the connection is closed below.
      next.catch(() => {});
    }
  } catch {
    // The connection is gone, and with it the usage.
  } finally {
    watch.stop();
    source.return?.()?.then(undefined, () => {});
  }
  const lostChars = reader.chars - chars;
  if (lostChars === 0 && (hadUsage || !reader.hasUsage)) return undefined;
  try {
    const end = reader.close().at(-1);
    return end?.type === "end" ? { usage: end.usage, lostChars } : undefined;
  } catch {
    // What came late makes no answer, for example a call without a name.
    return undefined;
  }
}

/** The value of a promise, or undefined if it does not come within `ms`. */
async function within<Value>(clock: Clock, promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>();
  const stop = clock.timer(Math.max(0, ms), () => late.resolve(undefined));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    stop();
  }
}
