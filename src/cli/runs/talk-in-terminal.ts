import { createInterface } from "node:readline";
import { toAppError } from "../../kit/app-error.ts";
import type { CommandCall } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { PasteInput } from "../terminal/paste-input.ts";
import { sayError } from "../terminal/report-error.ts";
import type { TerminalConversation } from "./conversation.ts";

/** Abilities of a terminal besides reading. */
interface Terminal {
  setRawMode?(raw: boolean): unknown;
}

const prompt = "> ";
const nextLinePrompt = "… ";

/**
 * A conversation with line editing. A line that ends with a backslash goes on in the next, and a paste of several lines is one query.
 * Ctrl-C cancels the current answer, or drops an unfinished query. A second Ctrl-C, or two at the empty prompt, leave the conversation.
 * Ctrl-D leaves.
 */
export async function talkInTerminal(
  call: CommandCall,
  conversation: TerminalConversation,
): Promise<ExitCode> {
  const { shell, screen } = call;
  const terminal: typeof shell.stdin & Terminal = shell.stdin;
  const typed = new PasteInput(terminal);
  terminal.pipe(typed);
  // The prompt goes to stderr: stdout, which may be a file, gets only answers.
  const editor = createInterface({ input: typed, output: shell.stderr, terminal: true, prompt });
  let answer: AbortController | undefined;
  let pressedOnce = false;
  let interrupted = false;
  let lines: string[] = [];
  const ask = () => {
    editor.setPrompt(lines.length === 0 ? prompt : nextLinePrompt);
    editor.prompt();
  };
  const leave = () => {
    interrupted = true;
    answer?.abort();
    editor.close();
  };
  editor.on("SIGINT", () => {
    if (pressedOnce) return leave();
    pressedOnce = true;
    if (answer !== undefined) return answer.abort();
    lines = [];
    screen.say("");
    screen.say(paint("dim", "Press Ctrl-C again or type /quit to leave."));
    ask();
  });
  // The terminal sends no signal while the editor reads keys, but another process may send one.
  call.signal.addEventListener("abort", leave, { once: true });

  /** Lets the user write in their own editor; what they save is the query. */
  const edit = async (text: string): Promise<string> => {
    typed.setRawMode(false);
    screen.markPastes(false);
    try {
      return await shell.parts.editText(text);
    } catch (thrown) {
      sayError(screen, toAppError(thrown));
      return "";
    } finally {
      screen.markPastes(true);
      typed.setRawMode(true);
    }
  };

  screen.say(paint("dim", `Chat with ${conversation.agent}. /help lists the commands.`));
  screen.markPastes(true);
  try {
    ask();
    for await (const line of editor) {
      pressedOnce = false;
      const isOpen = line.endsWith("\\");
      lines.push(isOpen ? line.slice(0, -1) : line);
      if (!isOpen) {
        const written = typed.expand(lines.join("\n"));
        lines = [];
        const command = /^\s*\/edit(?:\s+([\s\S]*))?$/.exec(written);
        const query = command === null ? written : await edit(command[1] ?? "");
        if (command !== null && query.trim() !== "") screen.say(paint("dim", query.trim()));
        answer = new AbortController();
        if (!(await conversation.take(query, answer.signal)) || interrupted) break;
        answer = undefined;
      }
      ask();
    }
  } finally {
    editor.close();
    terminal.unpipe(typed);
    typed.setRawMode(false);
    screen.markPastes(false);
    terminal.pause();
  }
  if (conversation.session !== undefined) {
    const { agent, session } = conversation;
    screen.say(paint("dim", `To continue: argosy chat ${agent} --session ${session}`));
  }
  return interrupted ? exitCodes.interrupted : exitCodes.ok;
}
