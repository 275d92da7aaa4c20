/** A part of a run's work and its result. */
export interface TaskResult {
  task: string;
  /** The result, or why there is none. */
  text: string;
  ok: boolean;
}

/** Appends a pattern's instruction to the user's message, because some servers refuse two user messages in a row. */
export function withInstruction(query: string, instruction: string): string {
  return instruction.trim() === "" ? query : `${query}\n\n<instruction>\n${instruction}\n</instruction>`;
}

/** Tells an agent with an `output_schema` that intermediate texts need not match it. */
export const withoutSchema =
  "The JSON Schema that the system prompt names is for the answer at the end, not for what you write now.";

/** Asks for a plan in steps that build on each other. */
export function planInstruction(stepsMax: number): string {
  return [
    `Plan how to do what the request above asks for, in at most ${stepsMax} steps and no more than it needs. The steps are done one after the other; each may use tools and knows the results of those before it. Do nothing of it yet.`,
    "Answer with JSON of this form and nothing else:",
    '{"steps": ["what to do first", "what to do next"]}',
  ].join("\n");
}

/** Asks for parts that can be carried out in parallel. */
export function splitInstruction(partsMin: number, partsMax: number): string {
  return [
    `Split what the request above asks for into ${partsMin} to ${partsMax} parts that are worked on at the same time, so that none needs the result of another. Each may use tools. Do nothing of it yet.`,
    "Answer with JSON of this form and nothing else:",
    '{"subtasks": ["one part", "another part"]}',
  ].join("\n");
}

/** Asks for one of several tasks, with the results so far. */
export function taskInstruction(
  tasks: readonly string[],
  number: number,
  results: readonly TaskResult[],
): string {
  const done = results.length === 0 ? [] : ["Results so far:", ...results.map(shownResult)];
  return [
    "The request above is worked on in parts:",
    listed(tasks),
    ...done,
    `Do part ${number} now, and no other, with tools where they help:`,
    `<task>\n${tasks[number - 1] ?? ""}\n</task>`,
    "Write its result only, with the facts it rests on: others go on from what you write.",
  ].join("\n\n");
}

/** Asks for the answer from all results. */
export function synthesisInstruction(results: readonly TaskResult[]): string {
  return [
    "The request above was worked on in parts, with these results:",
    ...results.map(shownResult),
    "Now answer the request for the person who made it, from these results alone. Where a part failed, say what is missing. Do not speak of the parts themselves.",
  ].join("\n\n");
}

/** Tasks as a numbered list. */
export function listed(tasks: readonly string[]): string {
  return tasks.map((task, index) => `${index + 1}. ${task}`).join("\n");
}

function shownResult({ task, text, ok }: TaskResult, index: number): string {
  return `<result part="${index + 1}"${ok ? "" : ' failed="true"'}>\n${task}\n\n${text}\n</result>`;
}
