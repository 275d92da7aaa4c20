import { Type } from "@sinclair/typebox";
import { createEventQueue } from "../../../../engine/chain/event-queue.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { readParams } from "../rpc-context.ts";
import type { ToolAnnouncements } from "../tool-announcements.ts";
import type { StatelessRequest } from "./read-request.ts";
import { metaKeys } from "./revision.ts";

const streamsMax = 1000;

const ListenParams = Type.Object({
  notifications: Type.Object({ toolsListChanged: Type.Optional(Type.Boolean()) }),
});

/** A JSON-RPC message to a client. */
export type Message = Readonly<Record<string, unknown>>;

/** Streams of `subscriptions/listen`, up to a limit. */
export class Subscriptions {
  readonly #announcements: ToolAnnouncements;
  #open = 0;

  constructor(announcements: ToolAnnouncements) {
    this.#announcements = announcements;
  }

  /**
   * Returns the messages of a stream: what it will tell, then each change, and the result once the service `retires`. Throws `too_busy` if
   * there are too many streams.
   */
  listen(
    { id, params }: Pick<StatelessRequest, "id" | "params">,
    retires: AbortSignal | undefined,
  ): (gone: AbortSignal) => AsyncGenerator<Message, void> {
    const { notifications } = readParams(ListenParams, params);
    const wantsTools = notifications.toolsListChanged === true;
    if (this.#open >= streamsMax) throw tooMany();
    return (gone) => this.#messages({ id, wantsTools }, gone, retires);
  }

  async *#messages(
    { id, wantsTools }: { id: string | number; wantsTools: boolean },
    gone: AbortSignal,
    retires: AbortSignal | undefined,
  ): AsyncGenerator<Message, void> {
    // Counted once it is read: a client may leave before that, which no stream is told.
    this.#open++;
    const _meta = { [metaKeys.subscription]: id };
    const queue = createEventQueue<Message>();
    const tell = (method: string, params: object) => ({
      jsonrpc: "2.0",
      method,
      params: { _meta, ...params },
    });
    const forget = wantsTools
      ? this.#announcements.add(() => queue.push(tell("notifications/tools/list_changed", {})))
      : () => {};
    const ends = [gone, ...(retires === undefined ? [] : [retires])];
    for (const signal of ends) signal.addEventListener("abort", queue.end, { once: true });
    if (ends.some(({ aborted }) => aborted)) queue.end();
    try {
      const notifications = wantsTools ? { toolsListChanged: true } : {};
      yield tell("notifications/subscriptions/acknowledged", { notifications });
      yield* queue;
      yield { jsonrpc: "2.0", id, result: { resultType: "complete", _meta } };
    } finally {
      for (const signal of ends) signal.removeEventListener("abort", queue.end);
      forget();
      this.#open--;
    }
  }
}

function tooMany(): AppError {
  return new AppError("unavailable", "too_busy", `${streamsMax} MCP streams are open.`, {
    details: { retryAfterSeconds: 10 },
  });
}
