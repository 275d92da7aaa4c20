import { createInterface } from "node:readline";
import type { Call } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import type { Conversation } from "./conversation.ts";

/**
 * A conversation with line editing. Ctrl-C cancels the current answer. A second Ctrl-C, or two at the empty prompt, leave the conversation.
 * Ctrl-D leaves.
 */
export async function talkInTerminal(call: Call, conversation: Conversation): Promise<ExitCode> {
  const { shell, screen } = call;
  // The prompt goes to stderr: stdout, which may be a file, gets only answers.
  const editor = createInterface({ input: shell.stdin, output: shell.stderr, terminal: true, prompt: "> " });
  let answer: AbortController | undefined;
  let pressedOnce = false;
  let interrupted = false;
  const leave = () => {
    interrupted = true;
    answer?.abort();
    editor.close();
  };
  editor.on("SIGINT", () => {
    if (pressedOnce) return leave();
    pressedOnce = true;
    if (answer !== undefined) return answer.abort();
    screen.say("");
    screen.say(paint("dim", "Press Ctrl-C again or type /quit to leave."));
    editor.prompt();
  });
  // The terminal sends no signal while the editor reads keys, but another process may send one.
  call.signal.addEventListener("abort", leave, { once: true });

  screen.say(paint("dim", `Chat with ${conversation.agent}. /help lists the commands.`));
  editor.prompt();
  for await (const line of editor) {
    pressedOnce = false;
    answer = new AbortController();
    if (!(await conversation.take(line, answer.signal)) || interrupted) break;
    answer = undefined;
    editor.prompt();
  }
  editor.close();
  if (conversation.session !== undefined) {
    const { agent, session } = conversation;
    screen.say(paint("dim", `To continue: argosy chat ${agent} --session ${session}`));
  }
  return interrupted ? exitCodes.interrupted : exitCodes.ok;
}
