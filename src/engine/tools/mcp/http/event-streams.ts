import { type Clock, sleep } from "../../../../kit/clock.ts";

/** Attempts in a row to open a broken stream again; after that, it is over. */
export const attemptsMax = 4;
/** Minimum time between two requests for one stream, whatever delay the server asks for. */
const pauseMs = 250;
/** A stream of notifications that brings no event and ends earlier than this counts as a failed attempt. */
const briefMs = 5000;

export interface EventStreamsOptions {
  clock: Clock;
  /** True while this request waits for its answer. */
  isAwaited: (id: number) => boolean;
  /** No more events of the answer to this request will come. */
  answerEnded: (id: number) => void;
  /** A server that sent notifications can't send any more. */
  notificationsEnded: () => void;
}

/**
 * A stream of events over one connection after another: if one breaks, the transport asks for the rest by a GET with the id of the last
 * event. The transport doesn't tell which stream it gives up, and continues some without end, so this decides when a stream is over.
 */
export abstract class EventStream {
  /** The request that it answers; undefined for notifications. */
  abstract readonly id: number | undefined;
  /** Id of the last event after which it can be continued. */
  lastEventId: string | undefined;
  protected readonly clock: Clock;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** True if the server must not be asked for it again. */
  abstract isOver(): boolean;
  abstract opened(): void;

  /** Called for each event, with its id if it has one. */
  took(eventId: string | undefined): void {
    this.lastEventId = eventId ?? this.lastEventId;
  }

  /** Its connection ended or broke. */
  abstract closed(): void;
  /** It was not opened: the server doesn't offer it, or this attempt failed. */
  abstract refused(because: "not offered" | "failed"): void;

  /** Resolves when it may be asked for again; rejects with the signal's reason. */
  async pause(signal: AbortSignal): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    const waitMs = Math.max(0, this.#nextMs - nowMs);
    this.#nextMs = nowMs + waitMs + pauseMs;
    if (waitMs > 0) await sleep(this.clock, waitMs, signal);
  }
}

/** The event streams of one session. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #answers = new Map<number, AnswerStream>();
  readonly #notifications: EventStream;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#notifications = new NotificationStream(options);
  }

  /** The answer to a request that is being sent. */
  answerTo(id: number): EventStream {
    const { isAwaited } = this.#options;
    for (const known of this.#answers.keys()) if (!isAwaited(known)) this.#answers.delete(known);
    const answer = new AnswerStream(id, this.#options);
    this.#answers.set(id, answer);
    return answer;
  }

  /** The stream that a GET asks for, after the event with this id if it names one; undefined if that stream is forgotten. */
  askedFor(lastEventId: string | undefined): EventStream | undefined {
    if (lastEventId === undefined) return this.#notifications;
    const known = [...this.#answers.values(), this.#notifications];
    return known.find((stream) => stream.lastEventId === lastEventId);
  }
}

class AnswerStream extends EventStream {
  readonly id: number;
  readonly #options: EventStreamsOptions;
  #failures = 0;

  constructor(id: number, options: EventStreamsOptions) {
    super(options.clock);
    this.id = id;
    this.#options = options;
  }

  isOver(): boolean {
    return !this.#options.isAwaited(this.id);
  }

  opened(): void {
    this.#failures = 0;
  }

  closed(): void {
    if (this.lastEventId === undefined) this.#options.answerEnded(this.id);
  }

  refused(because: "not offered" | "failed"): void {
    this.#failures++;
    if (because === "not offered" || this.#failures >= attemptsMax) this.#options.answerEnded(this.id);
  }
}

/** A server need not offer it. Some open it only to end it again, which would go on without end. */
class NotificationStream extends EventStream {
  readonly id = undefined;
  readonly #options: EventStreamsOptions;
  #failures = 0;
  #openedMs = 0;
  #hasBrought = false;
  /** True once a connection has brought an event or lasted for `briefMs`. */
  #hasServed = false;

  constructor(options: EventStreamsOptions) {
    super(options.clock);
    this.#options = options;
  }

  isOver(): boolean {
    return this.#failures >= attemptsMax;
  }

  opened(): void {
    this.#openedMs = this.clock.monotonicMs();
    this.#hasBrought = false;
  }

  override took(eventId: string | undefined): void {
    super.took(eventId);
    this.#hasBrought = true;
    this.#served();
  }

  closed(): void {
    if (this.clock.monotonicMs() - this.#openedMs >= briefMs) this.#served();
    else if (!this.#hasBrought) this.refused("failed");
  }

  refused(because: "not offered" | "failed"): void {
    this.#failures++;
    const isGivenUp = because === "failed" && this.#failures === attemptsMax;
    if (isGivenUp && this.#hasServed) this.#options.notificationsEnded();
  }

  #served(): void {
    this.#failures = 0;
    this.#hasServed = true;
  }
}
