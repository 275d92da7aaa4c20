import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import type { NewId } from "../../../../kit/id.ts";
import type { OnnxRuntime } from "../../../../onnx/onnx-runtime.ts";
import type { TextModel } from "../../../../onnx/text-model.ts";
import { findTextModel } from "../../../../onnx/text-model-files.ts";
import type { TemplateEngine } from "../../../templates/template.ts";
import type { LimitSetter, ModelFailureClass } from "../../judge-call.ts";
import {
  type FinishReason,
  type Model,
  type ModelEvent,
  type ModelParameters,
  type ModelRequest,
  showsImages,
} from "../../model.ts";
import { ModelFailure } from "../../model-failure.ts";
import { endAnswer } from "../wire/end-answer.ts";
import type { Subject } from "../wire/failure.ts";
import { type IdleWatch, startIdleWatch } from "../wire/idle-watch.ts";
import { callParameters } from "../wire/request-parts.ts";
import { chatPrompt } from "./chat-prompt.ts";
import { type OnnxSettings, readOnnxSettings } from "./onnx-settings.ts";
import { watchStops } from "./stop-watch.ts";

export interface OnnxModelOptions {
  provider: string;
  /** Name of the folder below the models folder. */
  model: string;
  parameters: ModelParameters;
  /** Tokens; default: the value in the model's files. */
  contextWindow: number | undefined;
  /** Time limit for one token. */
  timeoutMs: number;
  /** Origin of `timeoutMs`: the operator or a caller. */
  limitBy: LimitSetter;
}

export interface OnnxModelPorts {
  onnx: OnnxRuntime;
  templates: TemplateEngine;
  clock: Clock;
  newId: NewId;
}

/** Default limit for an answer, in tokens: a small model may repeat itself forever. */
const answerTokensDefault = 512;

/**
 * Creates a causal model from the user's own files that runs locally. Each token takes one forward pass and is the most likely one
 * (greedy), so equal conversations give equal answers. For small models: a pass runs on one core.
 */
export function createOnnxModel(
  options: OnnxModelOptions,
  { onnx, templates, clock, newId }: OnnxModelPorts,
): Model {
  const { provider, model: name, parameters, timeoutMs, limitBy } = options;
  const subject: Subject = { name: `${provider}/${name}`, model: name };
  const look = () => findTextModel(onnx.folder, name);
  const own = { max_tokens: answerTokensDefault, ...parameters };
  const contextWindow = options.contextWindow ?? readOnnxSettings(look()).contextWindow;

  async function* call(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    if (request.tools.length > 0) throw noTools(subject);
    if (showsImages(request)) throw blind(subject);
    const watch = startIdleWatch(clock, timeoutMs, signal);
    try {
      yield* answer(request, watch);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!watch.timedOut) throw asFailure(subject, thrown);
      throw new ModelFailure(
        "unreachable",
        `${subject.name} took longer than ${timeoutMs / 1000} seconds for a token.`,
        { sign: { sign: "silence", forMs: timeoutMs, limitBy } },
      );
    } finally {
      watch.stop();
    }
  }

  async function* answer(request: ModelRequest, watch: IdleWatch): AsyncGenerator<ModelEvent> {
    const files = look();
    const settings = readOnnxSettings(files);
    const text = onnx.text(files);
    const { max_tokens: tokensMax = answerTokensDefault, stop = [] } = callParameters(own, request) ?? own;
    const prompt = await chatPrompt(request.messages, settings, templates);
    const tokens = await promptTokens(text, prompt.text, prompt.special, settings, watch.signal);
    const room = contextWindow - tokens.length;
    if (room < 1) throw tooLong(subject, tokens.length, contextWindow);
    watch.touch();

    const stops = watchStops([...stop, ...prompt.stops]);
    const generation = text.generate(tokens);
    const pieces: string[] = [];
    let outputTokens = 0;
    let finish: FinishReason = "length";
    // With lines of `role: text`, the answer begins with a space.
    let isAtStart = prompt.special;
    const eventsOf = (piece: string): ModelEvent[] => {
      const visible = isAtStart ? piece.trimStart() : piece;
      if (visible === "") return [];
      isAtStart = false;
      pieces.push(visible);
      return request.stream ? [{ type: "text", text: visible }] : [];
    };
    try {
      while (outputTokens < Math.min(tokensMax, room) && finish === "length") {
        const { token, text: piece } = await generation.next(watch.signal);
        watch.touch();
        outputTokens++;
        if (settings.endTokens.has(token)) finish = "stop";
        else yield* eventsOf(stops.take(piece));
        if (stops.stopped) finish = "stop";
      }
      if (!stops.stopped) yield* eventsOf(stops.take(await generation.rest(watch.signal)));
      yield* eventsOf(stops.rest());
    } finally {
      generation.close();
    }
    const whole = pieces.join("");
    if (!request.stream && whole !== "") yield { type: "text", text: whole };
    const usage = { inputTokens: tokens.length, outputTokens, cachedTokens: 0 };
    yield* endAnswer(subject, request, { text: whole, drafts: [], reason: finish, usage }, newId);
  }

  return {
    provider,
    model: name,
    local: true,
    simulated: false,
    contextWindow,
    answerTokensMax: own.max_tokens,
    ...(own.stop === undefined ? {} : { stops: own.stop }),
    capabilities: { tools: false, vision: false, streaming: true },
    call,
    async probe() {
      try {
        look();
      } catch (thrown) {
        throw asFailure(subject, thrown);
      }
    },
  };
}

/** Removes end tokens that the tokenizer adds after the prompt, because they would end the answer immediately. */
async function promptTokens(
  text: TextModel,
  prompt: string,
  special: boolean,
  { endTokens }: OnnxSettings,
  signal: AbortSignal,
): Promise<number[]> {
  const tokens = await text.tokens(prompt, { special }, signal);
  while (special && tokens.length > 1 && endTokens.has(tokens.at(-1) ?? -1)) tokens.pop();
  return tokens;
}

const failures: Readonly<Record<string, ModelFailureClass>> = {
  onnx_unavailable: "unreachable",
  onnx_failed: "unusable",
  model_invalid: "unsuited",
  model_not_found: "unsuited",
  path_refused: "unsuited",
  template_failed: "caller",
  template_invalid: "unsuited",
};

function asFailure({ name }: Subject, thrown: unknown): unknown {
  if (!(thrown instanceof AppError) || thrown instanceof ModelFailure) return thrown;
  const failure = failures[thrown.code];
  if (failure === undefined) return thrown;
  const { hint } = thrown.details;
  return new ModelFailure(failure, `${name}: ${thrown.message}`, {
    cause: thrown,
    ...(thrown.code === "onnx_failed" && { sign: { sign: "garbled" } }),
    ...(hint === undefined ? {} : { hint }),
  });
}

function noTools({ name }: Subject): ModelFailure {
  return new ModelFailure("unsuited", `${name} can't use tools: models of local files only continue text.`, {
    hint: "Take the agent's tools out, or give it a model that can use them.",
  });
}

function blind({ name }: Subject): ModelFailure {
  return new ModelFailure("unsuited", `${name} can't see images: models of local files only continue text.`, {
    hint: "Send text alone, or give the agent a model that reads images.",
  });
}

function tooLong({ name }: Subject, tokens: number, contextWindow: number): ModelFailure {
  return new ModelFailure(
    "context_length",
    `The conversation has ${tokens} tokens, and ${name} can read ${contextWindow} with its answer.`,
  );
}
