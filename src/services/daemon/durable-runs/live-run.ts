import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";

/** `moved`: another process performs the run, so its end is read from the storage. */
type End = { kind: "done" } | { kind: "failed"; thrown: unknown } | { kind: "moved" };

/** A run that this process performs, whoever reads it: it goes on without readers, and each one gets all events. */
export class LiveRun {
  readonly #events: RunEvent[] = [];
  #end: End | undefined;
  #news = Promise.withResolvers<void>();

  add(event: RunEvent): void {
    this.#events.push(event);
    this.#tell();
  }

  end(end: End): void {
    this.#end ??= end;
    this.#tell();
  }

  /** Yields all events from the first one, and throws the run's failure. Returns false if another process performs the run. */
  async *read(signal: AbortSignal): AsyncGenerator<RunEvent, boolean> {
    for (let at = 0; ; ) {
      const event = this.#events[at];
      if (event !== undefined) {
        at++;
        yield event;
      } else if (this.#end === undefined) await untilAborted(signal, () => this.#news.promise);
      else if (this.#end.kind === "failed") throw this.#end.thrown;
      else return this.#end.kind === "done";
    }
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
