import type {
  A2aMessage,
  A2aPart,
  A2aState,
  A2aStatus,
  A2aTask,
  A2aUpdate,
} from "../../../contracts/daemon/a2a.ts";
import { A2aTaskParams } from "../../../contracts/daemon/a2a.ts";
import { ListParamsV1, PushConfigV1, SendParamsV1 } from "../../../contracts/daemon/a2a-v1.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type A2aDialect, type A2aOperation, requireParams } from "./dialect.ts";
import type { PushConfig } from "./push-notifications.ts";

const states: ReadonlyMap<A2aState, string> = new Map([
  ["submitted", "TASK_STATE_SUBMITTED"],
  ["working", "TASK_STATE_WORKING"],
  ["input-required", "TASK_STATE_INPUT_REQUIRED"],
  ["completed", "TASK_STATE_COMPLETED"],
  ["canceled", "TASK_STATE_CANCELED"],
  ["failed", "TASK_STATE_FAILED"],
  ["rejected", "TASK_STATE_REJECTED"],
]);

const pageSizeDefault = 50;

/** A2A 1.0: ProtoJSON over JSON-RPC. */
export const dialectV1: A2aDialect = {
  version: "1.0",
  methods: new Map<string, A2aOperation>([
    ["SendMessage", "send"],
    ["SendStreamingMessage", "stream"],
    ["GetTask", "get"],
    ["ListTasks", "list"],
    ["CancelTask", "cancel"],
    ["SubscribeToTask", "subscribe"],
    ["CreateTaskPushNotificationConfig", "setPush"],
    ["GetTaskPushNotificationConfig", "getPush"],
    ["ListTaskPushNotificationConfigs", "listPush"],
    ["DeleteTaskPushNotificationConfig", "deletePush"],
  ]),
  readSend(params) {
    const { message, configuration = {} } = requireParams(SendParamsV1, params);
    const { historyLength, returnImmediately, taskPushNotificationConfig: push } = configuration;
    return {
      message: messageOf(message),
      isDetached: returnImmediately === true,
      historyLength,
      push: push && pushOf(push),
    };
  },
  readTask(params) {
    const { id, historyLength } = requireParams(A2aTaskParams, params);
    return { id, historyLength };
  },
  readList(params) {
    const { contextId, status, pageSize, pageToken, historyLength, includeArtifacts } = requireParams(
      ListParamsV1,
      params ?? {},
    );
    return {
      contextId: contextId || undefined,
      state: stateOf(status),
      pageSize: pageSize || pageSizeDefault,
      after: pageToken || undefined,
      historyLength,
      withArtifacts: includeArtifacts === true,
    };
  },
  readPush(params) {
    const given = requireParams(PushConfigV1, params);
    if (!given.taskId) throw new AppError("invalid", "invalid_request", "taskId is required.");
    return { taskId: given.taskId, push: { ...pushOf(given), id: given.id || given.taskId } };
  },
  readPushId(params) {
    const { taskId = "", id } = params as { taskId?: unknown; id?: unknown };
    if (typeof taskId !== "string" || taskId === "" || (id !== undefined && typeof id !== "string"))
      throw new AppError("invalid", "invalid_request", "taskId is required, and id is a text.");
    return { taskId, id: id || undefined };
  },
  sent: (task) => ({ task: taskOf(task) }),
  task: taskOf,
  tasks: (tasks, { next, size, total }) => ({
    tasks: tasks.map(taskOf),
    nextPageToken: next,
    pageSize: size,
    totalSize: total,
  }),
  update: updateOf,
  push: present,
  pushes: (taskId, pushes) => ({ configs: pushes.map((push) => present(taskId, push)) }),
  notification: (_, update) => updateOf(update),
  refusesEnded: true,
};

type GivenMessage = ReturnType<typeof requireParams<typeof SendParamsV1>>["message"];

function messageOf({ messageId, contextId, taskId, role, parts }: GivenMessage): A2aMessage {
  return {
    kind: "message",
    role: role === "ROLE_USER" ? "user" : "agent",
    messageId,
    parts: parts.map(partOf),
    ...(taskId && { taskId }),
    ...(contextId && { contextId }),
  };
}

/** ProtoJSON has any JSON as data, 0.3 has objects; both become the JSON of a query. */
function partOf({ text, data }: GivenMessage["parts"][number]): A2aPart {
  if (text !== undefined) return { kind: "text", text };
  if (data !== undefined) return { kind: "data", data: data as Record<string, unknown> };
  return { kind: "file", file: {} };
}

function stateOf(name: string | undefined): A2aState | undefined {
  if (name === undefined || name === "" || name === "TASK_STATE_UNSPECIFIED") return undefined;
  for (const [state, known] of states) if (known === name) return state;
  throw new AppError("invalid", "invalid_request", `There is no state ${JSON.stringify(name)}.`);
}

const presentPart = (part: A2aPart): object =>
  part.kind === "text" ? { text: part.text } : { data: part.kind === "data" ? part.data : null };

const presentMessage = ({ role, messageId, parts, taskId, contextId }: A2aMessage): object => ({
  messageId,
  ...(contextId !== undefined && { contextId }),
  ...(taskId !== undefined && { taskId }),
  role: role === "user" ? "ROLE_USER" : "ROLE_AGENT",
  parts: parts.map(presentPart),
});

const presentStatus = ({ state, timestamp, message }: A2aStatus): object => ({
  state: states.get(state),
  timestamp,
  ...(message && { message: presentMessage(message) }),
});

function taskOf({ id, contextId, status, artifacts, history, metadata }: A2aTask): object {
  return {
    id,
    contextId,
    status: presentStatus(status),
    ...(artifacts && { artifacts: artifacts.map(artifactOf) }),
    ...(history && { history: history.map(presentMessage) }),
    ...(metadata && { metadata }),
  };
}

const artifactOf = ({ artifactId, name, parts }: NonNullable<A2aTask["artifacts"]>[number]): object => ({
  artifactId,
  name,
  parts: parts.map(presentPart),
});

function updateOf(update: A2aUpdate): object {
  if (update.kind === "task") return { task: taskOf(update) };
  const { taskId, contextId } = update;
  if (update.kind === "artifact-update") {
    const { artifact, append, lastChunk } = update;
    return { artifactUpdate: { taskId, contextId, artifact: artifactOf(artifact), append, lastChunk } };
  }
  const { status, metadata } = update;
  return {
    statusUpdate: { taskId, contextId, status: presentStatus(status), ...(metadata && { metadata }) },
  };
}

type GivenPush = ReturnType<typeof requireParams<typeof PushConfigV1>>;

const pushOf = ({ id, url, token, authentication }: GivenPush): Omit<PushConfig, "id"> & { id?: string } => ({
  ...(id && { id }),
  version: "1.0",
  url,
  token: token || undefined,
  authorization: authentication?.credentials
    ? { scheme: authentication.scheme, credentials: authentication.credentials }
    : undefined,
});

/** Credentials are not shown again. */
function present(taskId: string, { id, url, token, authorization }: PushConfig): object {
  return {
    id,
    taskId,
    url,
    ...(token !== undefined && { token }),
    ...(authorization !== undefined && { authentication: { scheme: authorization.scheme } }),
  };
}
