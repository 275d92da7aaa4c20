import { AppError } from "../app-error.ts";

/** The part of `fetch` that services use to call each other, over the network or in one process. */
export type FetchLike = (request: Request) => Promise<Response>;

export interface LocalFetchOptions {
  /** Returns true if calls are forbidden now, for example inside an open transaction. */
  refuseWhen?: () => boolean;
}

/**
 * Calls a service in this process as over the network. If the request's signal aborts, the handler's signal aborts too, and the pending
 * call and the reading of the body fail with the reason. If the client cancels the response's body, the handler's signal aborts as well,
 * because its client is gone.
 */
export function localFetch(
  handle: (request: Request) => Promise<Response>,
  options: LocalFetchOptions = {},
): FetchLike {
  return async (request) => {
    if (options.refuseWhen?.()) throw callInTransaction();
    request.signal.throwIfAborted();
    const client = new LocalClient(request.signal);
    try {
      const response = await client.unlessGone(handle(new Request(request, { signal: client.gone })));
      return client.received(response);
    } catch (thrown) {
      client.forget();
      throw thrown;
    }
  };
}

export const callInTransaction = () =>
  new AppError("internal", "call_in_transaction", "A service was called inside an open transaction.");

/** The caller as the handler sees it, from the call until the end of the response's body. */
class LocalClient {
  readonly #caller: AbortSignal;
  readonly #controller = new AbortController();

  constructor(caller: AbortSignal) {
    this.#caller = caller;
    caller.addEventListener("abort", this.#leave);
  }

  /** Aborts when the caller aborts or cancels the body. */
  get gone(): AbortSignal {
    return this.#controller.signal;
  }

  readonly #leave = () => this.#controller.abort(this.#caller.reason);

  /** Removes the listener: the caller's signal may outlive the call, so it must not keep anything of the call alive. */
  forget(): void {
    this.#caller.removeEventListener("abort", this.#leave);
  }

  unlessGone(pending: Promise<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.gone.addEventListener("abort", () => {
        reject(this.gone.reason);
        // No caller reads a late answer.
        pending.then(discard).catch(() => undefined);
      });
      pending.then(resolve, reject);
    });
  }

  received(response: Response): Response {
    if (response.body === null) {
      this.forget();
      return response;
    }
    return new Response(this.#linked(response.body.getReader()), response);
  }

  #linked(reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
    const { gone } = this;
    const fail = (controller: ReadableStreamDefaultController<Uint8Array>, reason: unknown) => {
      this.forget();
      controller.error(reason);
      reader.cancel(reason).catch(() => undefined);
    };
    return new ReadableStream({
      start(controller) {
        if (gone.aborted) fail(controller, gone.reason);
        else gone.addEventListener("abort", () => fail(controller, gone.reason));
      },
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (gone.aborted) return;
          if (!done) return controller.enqueue(value);
          this.forget();
          controller.close();
        } catch (thrown) {
          fail(controller, thrown);
        }
      },
      cancel: async (reason) => {
        this.forget();
        this.#controller.abort(reason);
        await reader.cancel(reason);
      },
    });
  }
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel();
}
