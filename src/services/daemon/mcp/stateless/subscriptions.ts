import { Type } from "@sinclair/typebox";
import { createEventQueue } from "../../../../engine/chain/event-queue.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { readParams } from "../rpc-context.ts";
import type { McpTasks } from "../tasks/mcp-tasks.ts";
import { presentTask, requireTasks } from "../tasks/task-methods.ts";
import type { ToolAnnouncements } from "../tool-announcements.ts";
import type { StatelessRequest } from "./read-request.ts";
import { metaKeys } from "./revision.ts";

const streamsMax = 1000;

const taskIdsMax = 100;

const ListenParams = Type.Object({
  notifications: Type.Object({
    toolsListChanged: Type.Optional(Type.Boolean()),
    taskIds: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: taskIdsMax })),
  }),
});

/** A JSON-RPC message to a client. */
export type SubscriptionMessage = Readonly<Record<string, unknown>>;

export interface SubscriptionListener {
  /** Digest of the client, if it takes tasks. */
  tasks: string | undefined;
  /** Aborts when the service stops. */
  retires: AbortSignal | undefined;
}

interface Wish {
  id: string | number;
  wantsTools: boolean;
  /** Tasks of the client, and the client. */
  tasks: { ids: readonly string[]; client: string };
}

/** Streams of `subscriptions/listen`, up to a limit. */
export class Subscriptions {
  readonly #announcements: ToolAnnouncements;
  readonly #tasks: McpTasks;
  #open = 0;

  constructor(announcements: ToolAnnouncements, tasks: McpTasks) {
    this.#announcements = announcements;
    this.#tasks = tasks;
  }

  /**
   * Returns the messages of a stream: what it will tell, then each change, and the result once the service `retires`. Throws `too_busy` if
   * there are too many streams, `capability_missing` for tasks of a client that takes none.
   */
  async listen(
    { id, params }: Pick<StatelessRequest, "id" | "params">,
    { tasks, retires }: SubscriptionListener,
  ): Promise<(gone: AbortSignal) => AsyncGenerator<SubscriptionMessage, void>> {
    const { toolsListChanged, taskIds = [] } = readParams(ListenParams, params).notifications;
    const client = taskIds.length === 0 ? "" : requireTasks({ tasks });
    if (this.#open >= streamsMax) throw tooMany();
    const ids: string[] = [];
    for (const task of new Set(taskIds))
      if ((await this.#tasks.find(task, client)) !== undefined) ids.push(task);
    const wish = { id, wantsTools: toolsListChanged === true, tasks: { ids, client } };
    return (gone) => this.#messages(wish, gone, retires);
  }

  async *#messages(
    { id, wantsTools, tasks: { ids, client } }: Wish,
    gone: AbortSignal,
    retires: AbortSignal | undefined,
  ): AsyncGenerator<SubscriptionMessage, void> {
    // Counted once it is read: a client may leave before that, which no stream is told.
    this.#open++;
    const _meta = { [metaKeys.subscription]: id };
    const queue = createEventQueue<SubscriptionMessage>();
    const tell = (method: string, params: object) => ({
      jsonrpc: "2.0",
      method,
      params: { _meta, ...params },
    });
    const tellTask = async (task: string) => {
      const row = await this.#tasks.find(task, client);
      if (row !== undefined) queue.push(tell("notifications/tasks", presentTask(this.#tasks, row)));
    };
    const stops: (() => void)[] = [];
    if (wantsTools)
      stops.push(this.#announcements.add(() => queue.push(tell("notifications/tools/list_changed", {}))));
    if (ids.length > 0)
      stops.push(
        this.#tasks.onChange((task) => {
          if (ids.includes(task)) void tellTask(task).catch(() => undefined);
        }),
      );
    const ends = [gone, ...(retires === undefined ? [] : [retires])];
    for (const signal of ends) signal.addEventListener("abort", queue.end, { once: true });
    if (ends.some(({ aborted }) => aborted)) queue.end();
    try {
      const notifications = {
        ...(wantsTools ? { toolsListChanged: true } : {}),
        ...(ids.length > 0 ? { taskIds: ids } : {}),
      };
      yield tell("notifications/subscriptions/acknowledged", { notifications });
      yield* queue;
      yield { jsonrpc: "2.0", id, result: { resultType: "complete", _meta } };
    } finally {
      for (const signal of ends) signal.removeEventListener("abort", queue.end);
      for (const stop of stops) stop();
      this.#open--;
    }
  }
}

function tooMany(): AppError {
  return new AppError("unavailable", "too_busy", `${streamsMax} MCP streams are open.`, {
    details: { retryAfterSeconds: 10 },
  });
}
