import type { Clock } from "../kit/clock.ts";
import type { BodyBudget, HeldBody } from "./body-budget.ts";

/*
 * The server keeps the bytes of an unfinished WebSocket frame and does not say how many. A client in the middle of a frame can't
 * answer a ping, though, as control frames stand between frames (RFC 6455, section 5.4). So a socket counts as holding a
 * whole frame from each of our pings until it answers with a pong or a complete message. Frames that are sent in fragments escape
 * this: pongs may come between them.
 */

/** The largest WebSocket frame of a client. */
export const frameBytesMax = 1024 * 1024;

/** One open WebSocket, as far as it is watched. */
export interface WatchedSocket {
  ping(): unknown;
  terminate(): void;
}

/** A socket that has answered is asked again after this time, if there are many. */
const provenMs = 5_000;
const roundMs = 250;
const pingsOfRound = 128;

/** Counts in a budget what the unfinished frames of WebSockets may hold. */
export class SocketWatch {
  readonly #clock: Clock;
  readonly #budget: BodyBudget;
  readonly #frameBytesMax: number;
  /** Sockets that have yet to answer. */
  readonly #held = new Map<WatchedSocket, HeldBody>();
  /** When each of the others answered last, the longest ago first. */
  readonly #provenAtMs = new Map<WatchedSocket, number>();
  #cancelRound: (() => void) | undefined;

  constructor(clock: Clock, budget: BodyBudget, frameBytesMax: number) {
    this.#clock = clock;
    this.#budget = budget;
    this.#frameBytesMax = frameBytesMax;
  }

  /** Watches a socket from its opening on; returns false where there is no room for what it may send. */
  opened(socket: WatchedSocket): boolean {
    if (!this.#ask(socket)) return false;
    this.#planRound();
    return true;
  }

  /** The socket sent a pong or a complete message. */
  answered(socket: WatchedSocket): void {
    this.#held.get(socket)?.end();
    this.#held.delete(socket);
    this.#provenAtMs.delete(socket);
    this.#provenAtMs.set(socket, this.#clock.monotonicMs());
  }

  closed(socket: WatchedSocket): void {
    this.#held.get(socket)?.end();
    this.#held.delete(socket);
    this.#provenAtMs.delete(socket);
    if (this.#isCalm()) this.stop();
  }

  /** Plans no further rounds. */
  stop(): void {
    this.#cancelRound?.();
    this.#cancelRound = undefined;
  }

  #ask(socket: WatchedSocket): boolean {
    let held: HeldBody;
    try {
      held = this.#budget.begin();
      held.take(this.#frameBytesMax);
    } catch {
      return false;
    }
    held.signal.addEventListener("abort", () => socket.terminate(), { once: true });
    this.#provenAtMs.delete(socket);
    this.#held.set(socket, held);
    socket.ping();
    return true;
  }

  /** So few sockets can't hold more than half of the budget, whatever they send. */
  #isCalm(): boolean {
    const sockets = this.#held.size + this.#provenAtMs.size;
    return sockets * this.#frameBytesMax <= this.#budget.bytesMax / 2;
  }

  #planRound(): void {
    if (this.#cancelRound !== undefined || this.#isCalm()) return;
    this.#cancelRound = this.#clock.timer(roundMs, () => {
      this.#cancelRound = undefined;
      this.#askAgain();
      this.#planRound();
    });
  }

  #askAgain(): void {
    const dueMs = this.#clock.monotonicMs() - provenMs;
    const due = [...this.#provenAtMs].slice(0, pingsOfRound).filter(([, atMs]) => atMs <= dueMs);
    for (const [socket] of due) if (!this.#ask(socket)) return;
  }
}
