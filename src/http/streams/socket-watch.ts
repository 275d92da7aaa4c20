import type { BodyBudget, HeldBody } from "../bodies/body-budget.ts";

/*
 * The server keeps the bytes of an unfinished WebSocket message and does not report their number. A pong proves nothing, because a client may
 * send it between two fragments of a message (RFC 6455, section 5.4). So every open socket counts as holding the largest message.
 */

/** Limit for a WebSocket message of a client, in bytes. */
export const messageBytesMax = 1024 * 1024;

/** One open WebSocket that is watched. */
export interface WatchedSocket {
  close(code: number, reason: string): void;
  terminate(): void;
}

/** RFC 6455 registry: the server can't take the connection now. */
const tryAgainLater = 1013;

/**
 * Counts the possible size of unfinished WebSocket messages against a budget. If others need the room, the sockets that have sent no complete
 * message for the longest time are closed, if that is more than 5 seconds and they don't wait for an answer.
 */
export class SocketWatch {
  readonly #budget: BodyBudget;
  readonly #messageBytesMax: number;
  readonly #watched = new Map<WatchedSocket, { held: HeldBody; isWaiting: () => boolean }>();

  constructor(budget: BodyBudget, messageBytesMax: number) {
    this.#budget = budget;
    this.#messageBytesMax = messageBytesMax;
  }

  /**
   * Watches a newly opened socket, whose client waits for an answer while `isWaiting` returns true. Otherwise closes the socket and returns
   * false, if the budget has no room for a message.
   */
  opened(socket: WatchedSocket, isWaiting: () => boolean): boolean {
    try {
      const share = this.#budget.begin(0, isWaiting);
      share.take(this.#messageBytesMax);
      share.signal.addEventListener("abort", () => dismiss(socket), { once: true });
      this.#watched.set(socket, { held: share, isWaiting });
      return true;
    } catch {
      socket.close(tryAgainLater, "too busy");
      return false;
    }
  }

  /** Records a complete message of the socket. */
  completed(socket: WatchedSocket): void {
    const watched = this.#watched.get(socket);
    if (watched === undefined) return;
    // Counts from now on; the room that it had is free.
    watched.held.end();
    this.opened(socket, watched.isWaiting);
  }

  closed(socket: WatchedSocket): void {
    this.#watched.get(socket)?.held.end();
    this.#watched.delete(socket);
  }
}

/** Tells the client why, and frees what the socket holds without waiting for the client. */
function dismiss(socket: WatchedSocket): void {
  socket.close(tryAgainLater, "too busy");
  socket.terminate();
}
