import type { Clock } from "../../kit/clock.ts";
import type { BodyBudget, HeldBody } from "../bodies/body-budget.ts";

/*
 * The server keeps the bytes of an unfinished WebSocket frame and does not report their number. A client in the middle of a data frame
 * cannot answer a ping, because control frames come only between frames (RFC 6455, section 5.4). So a socket counts as holding a whole
 * frame from each of our pings until it answers with a pong or a complete message. Fragmented messages escape this check, because pongs may
 * come between their frames.
 */

/** Limit for a WebSocket frame of a client, in bytes. */
export const frameBytesMax = 1024 * 1024;

/** One open WebSocket that is watched. */
export interface WatchedSocket {
  ping(): unknown;
  terminate(): void;
}

/** If there are many sockets, a socket that has answered is pinged again after this time. */
const provenMs = 5_000;
const roundMs = 250;
const pingsOfRound = 128;

/** Counts the possible size of unfinished WebSocket frames against a budget. */
export class SocketWatch {
  readonly #clock: Clock;
  readonly #budget: BodyBudget;
  readonly #frameBytesMax: number;
  /** Sockets that have not answered yet. */
  readonly #held = new Map<WatchedSocket, HeldBody>();
  /** Time of the last answer of each other socket, the oldest first. */
  readonly #provenAtMs = new Map<WatchedSocket, number>();
  #cancelRound: (() => void) | undefined;

  constructor(clock: Clock, budget: BodyBudget, frameBytesMax: number) {
    this.#clock = clock;
    this.#budget = budget;
    this.#frameBytesMax = frameBytesMax;
  }

  /** Watches a newly opened socket. Returns false if the budget has no room for a frame. */
  opened(socket: WatchedSocket): boolean {
    if (!this.#ask(socket)) return false;
    this.#planRound();
    return true;
  }

  /** Records a pong or a complete message of the socket. */
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

  /** Schedules no further rounds. */
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

  /** Returns true if the sockets are too few to hold more than half of the budget. */
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
