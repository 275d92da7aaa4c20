import { createInterface } from "node:readline";
import { faultOf } from "../../contracts/daemon/questions/check-answer.ts";
import type { Answer, Question, QuestionField } from "../../contracts/daemon/questions/question.ts";
import { fieldLine, valueIn } from "../../contracts/daemon/questions/written-answer.ts";
import type { ApprovalDecision } from "../../contracts/daemon/runs/approvals.ts";
import { neutralise, paint } from "../terminal/paint.ts";
import { interrupted } from "../terminal/report-error.ts";
import type { Screen } from "../terminal/screen.ts";
import type { Shell } from "../terminal/shell.ts";

/** A person's decision on a question of a server. */
export interface QuestionDecision {
  verdict: "approve" | "reject";
  request: ApprovalDecision;
}

/**
 * Asks a person at the terminal what a tool's server wants to know: whether to answer, and then each field. Ctrl-D dismisses the question.
 * Ctrl-C throws AppError `interrupted`, and the question stays open.
 */
export async function askQuestion(
  screen: Screen,
  shell: Shell,
  { server, message, url, fields = [], warning }: Question,
): Promise<QuestionDecision> {
  screen.say(paint("bold", `${server} asks:`), " ", message);
  if (warning !== undefined) screen.say(paint("yellow", warning));
  if (url !== undefined) screen.say(url);
  const isAccepted = await ask(shell, url === undefined ? "Answer? [y/N] " : "Done? [y/N] ");
  if (isAccepted === undefined) return { verdict: "reject", request: { cancel: true } };
  if (!/^y(es)?$/i.test(isAccepted)) return { verdict: "reject", request: {} };
  const answer: Answer = {};
  for (const field of fields) {
    const value = await askField(screen, shell, field);
    if (value === undefined) return { verdict: "reject", request: { cancel: true } };
    if (value !== "") answer[field.name] = value.value;
  }
  return { verdict: "approve", request: url === undefined ? { answer } : {} };
}

/** Asks until the value fits; an empty text for none, undefined after Ctrl-D. */
async function askField(
  screen: Screen,
  shell: Shell,
  field: QuestionField,
): Promise<{ value: Answer[string] } | "" | undefined> {
  const preset = field.default;
  const shown =
    preset === undefined ? "" : ` [${Array.isArray(preset) ? preset.join(", ") : String(preset)}]`;
  for (;;) {
    const text = await ask(shell, `${fieldLine(field)}${shown} `);
    if (text === undefined) return undefined;
    if (text === "" && preset !== undefined) return { value: preset };
    if (text === "" && !field.required) return "";
    const value = valueIn(field, text);
    const fault = text === "" ? "is required" : faultOf(field, value);
    if (fault === undefined) return { value };
    screen.say(paint("yellow", `It ${fault}.`));
  }
}

function ask(shell: Shell, prompt: string): Promise<string | undefined> {
  const editor = createInterface({ input: shell.stdin, output: shell.stderr, terminal: true });
  return new Promise((resolve, reject) => {
    editor.on("close", () => resolve(undefined));
    // The terminal sends no signal while the editor reads keys.
    editor.on("SIGINT", () => {
      reject(interrupted());
      editor.close();
    });
    editor.question(neutralise(prompt), (text) => {
      resolve(text.trim());
      editor.close();
    });
  });
}
