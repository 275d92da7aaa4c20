import { Type } from "@sinclair/typebox";
import { AppError } from "../../../../kit/app-error.ts";
import { type AnswerMethod, type RpcContext, readParams } from "../rpc-context.ts";
import { keptMs, type McpTasks } from "./mcp-tasks.ts";
import type { McpTaskRow } from "./schema.ts";

/** The extension of tasks (SEP-2663). */
export const tasksExtension = "io.modelcontextprotocol/tasks";

const pollIntervalMs = 1000;

const TaskId = Type.String({ maxLength: 200 });
const TaskParams = Type.Object({ taskId: TaskId });
const UpdateParams = Type.Object({
  taskId: TaskId,
  inputResponses: Type.Record(Type.String(), Type.Unknown()),
});

/** Methods of the tasks extension, for clients that declare it. */
export const taskMethods: ReadonlyMap<string, AnswerMethod> = new Map<string, AnswerMethod>([
  [
    "tasks/get",
    async (params, context) => {
      const client = requireTasks(context);
      const { taskId } = readParams(TaskParams, params);
      return presentTask(context.deps.tasks, await requireTask(context.deps.tasks, taskId, client));
    },
  ],
  [
    "tasks/update",
    // Our tasks ask their clients for nothing: answers to unknown questions are ignored.
    async (params, context) => {
      const client = requireTasks(context);
      await requireTask(context.deps.tasks, readParams(UpdateParams, params).taskId, client);
      return {};
    },
  ],
  [
    "tasks/cancel",
    async (params, context) => {
      const client = requireTasks(context);
      const { taskId } = readParams(TaskParams, params);
      await context.deps.tasks.cancel(await requireTask(context.deps.tasks, taskId, client));
      return {};
    },
  ],
]);

/** Throws AppError `capability_missing` for a client that does not declare the extension. */
export function requireTasks({ tasks }: Pick<RpcContext, "tasks">): string {
  if (tasks !== undefined) return tasks;
  throw new AppError("invalid", "capability_missing", `This needs the extension ${tasksExtension}.`, {
    details: { facts: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } } },
  });
}

async function requireTask(tasks: McpTasks, id: string, client: string): Promise<McpTaskRow> {
  const row = await tasks.find(id, client);
  if (row !== undefined) return row;
  throw new AppError("invalid", "invalid_params", "There is no such task, or it has expired.");
}

/** The answer to a call that has become a task. */
export const createdTask = (row: McpTaskRow): object => ({ resultType: "task", ...stateOf(row) });

/** A task with its result, if it has ended. */
export function presentTask(tasks: McpTasks, row: McpTaskRow): object {
  const result = tasks.resultOf(row);
  return { ...stateOf(row), ...(row.status === "completed" && result !== undefined ? { result } : {}) };
}

function stateOf({ id, status, awaits, createdAt, updatedAt }: McpTaskRow): object {
  const isWaiting = status === "working" && awaits !== null;
  return {
    taskId: id,
    status,
    ...(isWaiting ? { statusMessage: "Waits for a person to approve a call of a tool." } : {}),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: updatedAt.toISOString(),
    ttlMs: keptMs,
    pollIntervalMs,
  };
}
