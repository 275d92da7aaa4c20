import { AppError } from "../../../kit/app-error.ts";
import type { ModelQuestion, ToolModel } from "../../tools/tool.ts";
import type { ModelCaller, SpokenThread } from "../pattern.ts";
import { modelTurn } from "./model-turn.ts";

/**
 * The models of a thread's agent for use by a tool: traced below the thread's span, limited by its allowances, and counted like other
 * calls. Pending calls are added to `asked`.
 */
export function modelOfThread(
  caller: ModelCaller,
  thread: SpokenThread,
  role: string,
  asked: Promise<unknown>[],
): ToolModel {
  return {
    contextWindow: thread.routerFor(role).contextWindow,
    ask(question) {
      const answer = ask(caller, thread, role, question);
      asked.push(answer);
      return answer;
    },
  };
}

async function ask(
  caller: ModelCaller,
  thread: SpokenThread,
  role: string,
  { system, text, answerTokensMax, isWhole, signal }: ModelQuestion,
): Promise<string> {
  signal.throwIfAborted();
  const own: SpokenThread = {
    ...thread,
    preamble: [{ role: "system", content: system }],
    messages: [{ role: "user", content: text }],
    toolSpecs: [],
  };
  const options = { role, toolChoice: "none", speak: false, aside: { answerTokensMax } } as const;
  const turn = modelTurn({ ...caller, signal }, own, options);
  let next = await turn.next();
  while (next.done !== true) next = await turn.next();
  const { text: answer, finish } = next.value;
  if (isWhole === true && finish === "length")
    throw new AppError(
      "unprocessable",
      "answer_cut",
      `The model's answer has more than ${answerTokensMax} tokens.`,
    );
  return answer;
}
