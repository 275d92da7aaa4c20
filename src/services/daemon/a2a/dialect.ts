import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { A2aState, A2aTask, A2aUpdate } from "../../../contracts/daemon/a2a.ts";
import {
  type A2aMessage,
  type A2aPushConfig,
  A2aPushParams,
  A2aSendParams,
  A2aTaskParams,
} from "../../../contracts/daemon/a2a.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { PushConfig } from "./push-notifications.ts";

/*
 * The versions of A2A differ in the names of their methods and in their JSON. Inside, tasks have the form of 0.3.
 */

export type A2aOperation =
  | "send"
  | "stream"
  | "get"
  | "list"
  | "cancel"
  | "subscribe"
  | "setPush"
  | "getPush"
  | "listPush"
  | "deletePush";

export interface A2aSendOrder {
  message: A2aMessage;
  /** True: the answer is the task that has just begun. */
  isDetached: boolean;
  historyLength: number | undefined;
  push: (Omit<PushConfig, "id"> & { id?: string | undefined }) | undefined;
}

export interface ListOrder {
  contextId: string | undefined;
  state: A2aState | undefined;
  pageSize: number;
  after: string | undefined;
  historyLength: number | undefined;
  withArtifacts: boolean;
}

/** One version of the protocol. Its readers throw `invalid_request`. */
export interface A2aDialect {
  version: "0.3" | "1.0";
  methods: ReadonlyMap<string, A2aOperation>;
  readSend(params: unknown): A2aSendOrder;
  readTask(params: unknown): { id: string; historyLength: number | undefined };
  readList(params: unknown): ListOrder;
  readPush(params: unknown): { taskId: string; push: PushConfig };
  /** `id` is undefined if the first configuration is meant. */
  readPushId(params: unknown): { taskId: string; id: string | undefined };
  /** Result of `send`. */
  sent(task: A2aTask): object;
  task(task: A2aTask): object;
  tasks(tasks: readonly A2aTask[], page: { next: string; size: number; total: number }): object;
  update(update: A2aUpdate): object;
  push(taskId: string, push: PushConfig): object;
  pushes(taskId: string, pushes: readonly PushConfig[]): object;
  /** What a push notification says of an update. */
  notification(task: A2aTask, update: A2aUpdate): object;
  /** True if the stream of a task that has ended is refused. */
  refusesEnded: boolean;
}

export function requireParams<T extends TSchema>(schema: T, params: unknown): Static<T> {
  if (Value.Check(schema, params)) return params;
  throw invalidPart("The params object", Value.Errors(schema, params), schema);
}

export const dialect03: A2aDialect = {
  version: "0.3",
  methods: new Map<string, A2aOperation>([
    ["message/send", "send"],
    ["message/stream", "stream"],
    ["tasks/get", "get"],
    ["tasks/cancel", "cancel"],
    ["tasks/resubscribe", "subscribe"],
    ["tasks/pushNotificationConfig/set", "setPush"],
    ["tasks/pushNotificationConfig/get", "getPush"],
    ["tasks/pushNotificationConfig/list", "listPush"],
    ["tasks/pushNotificationConfig/delete", "deletePush"],
  ]),
  readSend(params) {
    const { message, configuration = {} } = requireParams(A2aSendParams, params);
    const { blocking, historyLength, pushNotificationConfig: push } = configuration;
    return {
      message,
      isDetached: blocking === false,
      historyLength,
      push: push && pushOf03(push),
    };
  },
  readTask: (params) => {
    const { id, historyLength } = requireParams(A2aTaskParams, params);
    return { id, historyLength };
  },
  readList: () => {
    throw new AppError("unsupported", "operation_not_supported", "A2A 0.3 lists no tasks.");
  },
  readPush(params) {
    const { taskId, pushNotificationConfig } = requireParams(A2aPushParams, params);
    return { taskId, push: { ...pushOf03(pushNotificationConfig), id: pushNotificationConfig.id ?? taskId } };
  },
  readPushId(params) {
    const { id, pushNotificationConfigId } = requireParams(A2aTaskParams, params);
    return { taskId: id, id: pushNotificationConfigId };
  },
  sent: (task) => task,
  task: (task) => task,
  tasks: (tasks) => ({ tasks }),
  update: (update) => update,
  push: present03,
  pushes: (taskId, pushes) => pushes.map((push) => present03(taskId, push)),
  notification: (task) => task,
  refusesEnded: false,
};

function pushOf03({
  url,
  token,
  authentication,
  id,
}: Static<typeof A2aPushConfig>): A2aSendOrder["push"] & object {
  const [scheme] = authentication?.schemes ?? [];
  return {
    ...(id !== undefined && { id }),
    version: "0.3",
    url,
    token,
    authorization:
      scheme !== undefined && authentication?.credentials !== undefined
        ? { scheme, credentials: authentication.credentials }
        : undefined,
  };
}

/** Credentials are not shown again. */
function present03(taskId: string, { id, url, token, authorization }: PushConfig): object {
  return {
    taskId,
    pushNotificationConfig: {
      id,
      url,
      ...(token !== undefined && { token }),
      ...(authorization !== undefined && { authentication: { schemes: [authorization.scheme] } }),
    },
  };
}
