import { Command } from "commander";
import type { Answer, Question } from "../../contracts/daemon/questions/question.ts";
import type { ApprovalDecision } from "../../contracts/daemon/runs/approvals.ts";
import type { CommandCall } from "../call.ts";
import { canAsk } from "../terminal/ask.ts";
import { usageError } from "../terminal/report-error.ts";
import { askQuestion, type QuestionDecision } from "./ask-question.ts";

export type Verdict = "approve" | "reject";

/** Options of the commands that decide on a call, or on a question of its server. */
export interface DecisionOptions {
  comment?: string;
  answer?: string;
  cancel?: true;
}

const plainCommand = (name: string, description: string) => new Command(name).description(description);

/** The commands `approve` and `reject`, without an action. `create` makes a command with the options of its service. */
export function decisionCommands(create = plainCommand): Command[] {
  const decision = (verdict: Verdict, description: string) =>
    create(verdict, description)
      .argument("<id>", "an approval's id")
      .option("--comment <text>", "a comment stored with the decision; after a rejection the agent sees it");
  return [
    decision("approve", "approve a call or answer a question, and print the answer of its run").option(
      "--answer <json>",
      "values of a question's form by name; without it, a terminal asks for them",
    ),
    decision("reject", "reject a call or decline a question, and print the answer of its run").option(
      "--cancel",
      "dismiss a question instead of declining it",
    ),
  ];
}

/** Returns the decision that the options say. Without `--answer`, a person at a terminal is asked what the server wants to know. */
export async function decisionOf(
  { screen, shell }: Pick<CommandCall, "screen" | "shell">,
  verdict: Verdict,
  { answer, ...options }: DecisionOptions,
  findQuestion: () => Promise<Question | undefined>,
): Promise<QuestionDecision> {
  const request: ApprovalDecision = {
    ...options,
    ...(answer !== undefined && { answer: readAnswer(answer) }),
  };
  if (verdict === "reject" || answer !== undefined || screen.json || !canAsk(shell))
    return { verdict, request };
  const question = await findQuestion();
  if (question?.fields === undefined) return { verdict, request };
  const asked = await askQuestion(screen, shell, question);
  return { ...asked, request: { ...request, ...asked.request } };
}

function readAnswer(text: string): Answer {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Answer;
  } catch {
    // Said below.
  }
  throw usageError(
    "--answer is no JSON object.",
    `Write the values by name: --answer '{"email": "ada@example.org"}'`,
  );
}
