import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { fairTurns } from "../../kit/concurrency/fair-turns.ts";
import { OwnerPlaces } from "../../kit/concurrency/owner-places.ts";
import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import type { Logger } from "../../kit/log.ts";
import { createLineProcess, StartFailed, TimeLimitPassed } from "../../kit/process/line-process.ts";
import type { FileRef, LoadedModel, OnnxFault, Reply, Request } from "./messages.ts";
import { packed, unpacked } from "./packed.ts";

/** Limits on models. */
export interface OnnxLimits {
  /** Milliseconds for loading a model. */
  loadMs: number;
  /** Milliseconds for one call of a loaded model. */
  callMs: number;
  /** Time for a cancelled call to end; then the process is killed, and models have to be loaded again. */
  graceMs: number;
  /** Maximum waiting calls. */
  waitingMax: number;
  /** Limit for the files of all models in memory: loading one takes up to three times its size. */
  modelBytesMax: number;
}

export interface OnnxProcessOptions {
  /** Command that starts `runOnnxChild` in its own process. */
  command: readonly string[];
  /** Makes ONNX Runtime's package available before the process starts; it is where this does nothing. Throws AppError. */
  install?: () => Promise<void>;
  clock: Clock;
  log: Logger;
  limits: OnnxLimits;
}

/** Calls of one owner. */
export type OnnxCalls = Pick<OnnxProcess, "call" | "load" | "free">;

/** Waiting calls that an owner may have for each that still has room. */
const placesPerFree = 3;

/** The process that runs models: one call at a time. Owners take turns. */
export class OnnxProcess {
  readonly #options: OnnxProcessOptions;
  readonly #child;
  readonly #turn = fairTurns({ placesMax: 1, ownPlacesMax: 1 });
  readonly #line: OwnerPlaces;
  #closed = false;

  constructor(options: OnnxProcessOptions) {
    this.#options = options;
    this.#line = new OwnerPlaces(options.limits.waitingMax, placesPerFree);
    this.#child = createLineProcess<unknown, unknown>({ command: options.command, clock: options.clock });
  }

  /**
   * Sends a request to the child. The caller continues as soon as its signal aborts; the call itself gets `graceMs` to end, so that other
   * models stay loaded. Throws the AppErrors of `OnnxRuntime`, or the signal's reason.
   */
  async call<T>(request: Request, signal: AbortSignal, owner = ""): Promise<T> {
    signal.throwIfAborted();
    if (this.#closed) throw unavailable(stoppingMessage);
    if (!this.#line.mayTake(owner)) {
      throw unavailable("Too many calls of local models are waiting; try again later.");
    }
    const turn = this.#turn(owner, () => this.#take(request, signal)).finally(this.#line.take(owner));
    // Errors of a cancelled call are ignored.
    turn.catch(() => {});
    return (await untilAborted(signal, () => turn)) as T;
  }

  /** Loads a model unless it is loaded. */
  load(model: FileRef, signal: AbortSignal, owner = ""): Promise<LoadedModel> {
    return this.call({ op: "load", model, bytesMax: this.#options.limits.modelBytesMax }, signal, owner);
  }

  /** Sends a request that only frees memory; nothing to do if the child is not running. */
  async free(request: Request, owner = ""): Promise<void> {
    if (this.#child.isRunning) await this.call(request, new AbortController().signal, owner);
  }

  /** The calls of an owner, who is asked for at each. */
  for(owner: () => string): OnnxCalls {
    return {
      call: (request, signal) => this.call(request, signal, owner()),
      load: (model, signal) => this.load(model, signal, owner()),
      free: (request) => this.free(request, owner()),
    };
  }

  /** Ends the child; pending calls fail. */
  close(): void {
    this.#closed = true;
    this.#child.close();
  }

  async #take(request: Request, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const { loadMs, callMs, modelBytesMax } = this.#options.limits;
    if (!this.#child.isRunning) await this.#options.install?.();
    const model = "model" in request ? request.model : undefined;
    const timeMs = request.op === "load" ? loadMs : callMs;
    let reply = await this.#ask(request, model, timeMs, signal);
    if ("absent" in reply && model) {
      answerIn(await this.#ask({ op: "load", model, bytesMax: modelBytesMax }, model, loadMs, signal), model);
      reply = await this.#ask(request, model, timeMs, signal);
    }
    return answerIn(reply, model);
  }

  async #ask(
    request: Request,
    model: FileRef | undefined,
    timeLimitMs: number,
    signal: AbortSignal,
  ): Promise<Reply> {
    if (this.#closed) throw unavailable(stoppingMessage);
    const given = this.#givenUp(signal);
    try {
      return unpacked(await this.#child.ask(packed(request), { timeLimitMs, signal: given.signal })) as Reply;
    } catch (thrown) {
      signal.throwIfAborted();
      throw this.#failure(thrown, request, model, timeLimitMs);
    } finally {
      given.dispose();
    }
  }

  /** A signal that aborts `graceMs` after the caller's. */
  #givenUp(signal: AbortSignal): { signal: AbortSignal; dispose: () => void } {
    const { clock, limits } = this.#options;
    const controller = new AbortController();
    let cancel = () => {};
    const onAbort = () => {
      cancel = clock.timer(limits.graceMs, () => controller.abort(signal.reason));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
    return {
      signal: controller.signal,
      dispose() {
        cancel();
        signal.removeEventListener("abort", onAbort);
      },
    };
  }

  #failure(thrown: unknown, { op }: Request, model: FileRef | undefined, timeLimitMs: number): AppError {
    const { log } = this.#options;
    if (this.#closed) return unavailable(stoppingMessage, thrown);
    if (thrown instanceof StartFailed) {
      log.error("onnx.start_failed", { err: thrown });
      return unavailable("The process that runs local models could not be started.", thrown);
    }
    log.warn("onnx.ended", { operation: op, model: model?.name, err: thrown });
    const name = model?.name ?? "The tokenizer";
    if (thrown instanceof TimeLimitPassed) {
      const what = op === "load" ? "took longer to load than" : "took longer than";
      return failed(`${name} ${what} the ${timeLimitMs / 1000} seconds that it may and was stopped.`, thrown);
    }
    return failed(
      `${name} brought down the process that runs models; it may need more memory than there is.`,
      thrown,
    );
  }
}

function answerIn(reply: Reply, model: FileRef | undefined): unknown {
  if ("value" in reply) return reply.value;
  if ("fault" in reply) throw faultError(reply.fault, model?.name ?? "The model");
  throw failed(`${model?.name ?? "The model"} could not be kept in memory.`);
}

function faultError({ code, message }: OnnxFault, name: string): AppError {
  const kind = code === "model_not_found" ? "not_found" : "unprocessable";
  return new AppError(kind, code, `${name} ${message}.`);
}

const stoppingMessage = "Models are not run any more: Argosy is stopping.";

const failed = (message: string, cause?: unknown) =>
  new AppError("unprocessable", "onnx_failed", message, cause === undefined ? {} : { cause });

const unavailable = (message: string, cause?: unknown) =>
  new AppError("unavailable", "onnx_unavailable", message, cause === undefined ? {} : { cause });
