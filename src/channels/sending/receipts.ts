import { type Clock, sleep } from "../../kit/clock.ts";
import type { SendStatus } from "../delivery.ts";

interface Watched {
  status: SendStatus | undefined;
  arrived: PromiseWithResolvers<void>;
}

/** Statuses of messages being sent. They show whether a message arrived when the provider's answer was lost. */
export class Receipts {
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps the status with this token until `forget`. */
  watch(token: string): void {
    this.#watched.set(token, { status: undefined, arrived: Promise.withResolvers() });
  }

  forget(token: string): void {
    this.#watched.delete(token);
  }

  note(status: SendStatus): void {
    const watched = this.#watched.get(status.token);
    if (watched === undefined) return;
    watched.status ??= status;
    watched.arrived.resolve();
  }

  /** Resolves with the first status of a watched message, or with undefined after `ms`. */
  async settle(token: string, ms: number, signal: AbortSignal): Promise<SendStatus | undefined> {
    const watched = this.#watched.get(token);
    if (watched === undefined || watched.status !== undefined) return watched?.status;
    const done = new AbortController();
    try {
      await Promise.race([
        watched.arrived.promise,
        sleep(this.#clock, ms, AbortSignal.any([signal, done.signal])),
      ]);
    } finally {
      done.abort();
    }
    return watched.status;
  }
}
