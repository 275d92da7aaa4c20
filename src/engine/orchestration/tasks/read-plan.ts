import { isRecord } from "../../../kit/json/is-record.ts";
import { scanJson, type Text } from "./scan-json.ts";

const listNames = ["steps", "plan", "subtasks", "sub_tasks", "tasks", "parts"];
const taskNames = [
  "description",
  "task",
  "subtask",
  "instruction",
  "step",
  "action",
  "query",
  "question",
  "goal",
  "title",
  "name",
  "text",
  "content",
];

/** Maximum tasks read from a plan, more than any pattern uses. */
const tasksMax = 100;
export const taskCharsMax = 2000;

/**
 * The tasks of a plan written by a model: from the last JSON object with a list of them, else from the last bare list. Empty if there is
 * none.
 */
export function readPlan(text: Text): string[] {
  const values = scanJson(text);
  for (const read of [namedList, tasksOf]) {
    for (const value of values.toReversed()) {
      const tasks = read(value);
      if (tasks.length > 0) return tasks;
    }
  }
  return [];
}

/** Reads `{"steps": […]}`, `{"plan": {"steps": […]}}`, or either of them as the only item of a list. */
function namedList(value: unknown, depth = 0): string[] {
  if (depth > 2) return [];
  if (Array.isArray(value)) return value.length === 1 ? namedList(value[0], depth + 1) : [];
  if (!isRecord(value)) return [];
  for (const name of listNames) {
    const list = value[name];
    const tasks = Array.isArray(list) ? tasksOf(list) : namedList(list, depth + 1);
    if (tasks.length > 0) return tasks;
  }
  return [];
}

function tasksOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  const tasks: string[] = [];
  for (const item of list) {
    if (tasks.length === tasksMax) break;
    const task = taskOf(item);
    if (task !== undefined) tasks.push(task);
  }
  return tasks;
}

/** A task is a text, an object with a text under a known name, or an object whose only value is a text. */
function taskOf(item: unknown): string | undefined {
  if (!isRecord(item)) return asTask(item);
  for (const name of taskNames) {
    const task = asTask(item[name]);
    if (task !== undefined) return task;
  }
  const [only, ...others] = Object.values(item);
  return others.length === 0 ? asTask(only) : undefined;
}

function asTask(value: unknown): string | undefined {
  const task = typeof value === "string" ? value.trim() : "";
  return task === "" ? undefined : cutTask(task);
}

/** A task for prompts and events, cut to `taskCharsMax` characters. */
export function cutTask(task: string): string {
  return task.length <= taskCharsMax ? task : `${task.slice(0, taskCharsMax).toWellFormed()}…`;
}
