import { escapeControls } from "../../kit/text/terminal-text.ts";
import { type Inline, neutralise, paint, rendered } from "./paint.ts";
import type { Shell, TerminalOutput } from "./shell.ts";
import { layoutTable } from "./table.ts";

/**
 * The output of a command, and the only writer of text in this process: data on stdout, messages on stderr. With `--json`, data is JSON and
 * stdout has nothing else. All text is neutralised, except what `write` sends to a pipe or a file.
 */
export class Screen {
  readonly json: boolean;
  readonly #shell: Shell;
  readonly #colours: boolean;
  #lineOpen = false;

  constructor(shell: Shell, options: { json: boolean; colours: boolean }) {
    this.#shell = shell;
    this.json = options.json;
    this.#colours = options.colours;
  }

  /** True if a person reads the messages; some details are only for a person. */
  get hasReader(): boolean {
    return this.#shell.stderr.isTTY === true;
  }

  /** Width of the terminal for messages. */
  get talkWidth(): number {
    return widthOf(this.#shell.stderr) ?? 80;
  }

  /** Width of the terminal for data, or undefined for a pipe or a file. */
  get dataWidth(): number | undefined {
    return this.#shell.stdout.isTTY === true ? widthOf(this.#shell.stdout) : undefined;
  }

  /** Prints one indented JSON document. */
  document(value: unknown): void {
    this.#shell.stdout.write(`${escapeControls(JSON.stringify(value, null, 2))}\n`);
  }

  /** Prints one JSON document on one line, for a stream of them. */
  record(value: unknown): void {
    this.#shell.stdout.write(`${escapeControls(JSON.stringify(value))}\n`);
  }

  /** Prints a line of data. */
  print(...parts: Inline[]): void {
    this.#shell.stdout.write(`${this.#data(parts)}\n`);
  }

  /** Prints a document, or a part of one, that a pipe or a file receives unchanged: an answer, a manifest. `endLine` ends its last line. */
  write(text: string): void {
    if (text === "") return;
    this.#shell.stdout.write(this.#shell.stdout.isTTY === true ? neutralise(text) : text);
    this.#lineOpen = !text.endsWith("\n");
  }

  /** Ends the line that `write` left open, if any. */
  endLine(): void {
    if (this.#lineOpen) this.#shell.stdout.write("\n");
    this.#lineOpen = false;
  }

  /** Prints rows under a head, in columns; cut to the width of a terminal, whole everywhere else. */
  table(head: readonly string[], rows: readonly (readonly Inline[])[]): void {
    const all = [head.map((name) => paint("dim", name)), ...rows];
    for (const line of layoutTable(all, this.dataWidth)) this.print(...line);
  }

  /** Prints named values, one per line. */
  fields(rows: readonly (readonly [string, Inline])[]): void {
    const painted = rows.map(([name, value]) => [paint("dim", name), value]);
    for (const line of layoutTable(painted)) this.print(...line);
  }

  /** Prints a message. */
  say(...parts: Inline[]): void {
    const { stdout, stderr } = this.#shell;
    // If both are terminals, they share one screen, so a message begins on a new line.
    if (this.#lineOpen && stdout.isTTY === true && stderr.isTTY === true) this.endLine();
    stderr.write(`${rendered(parts, this.#colours && stderr.hasColors?.() === true)}\n`);
  }

  /** Prints text that ends its own lines on stderr. */
  sayText(text: string): void {
    this.#shell.stderr.write(neutralise(text));
  }

  /** Replaces the line on stderr that shows the progress; without a line, removes it. Only for a person's terminal. */
  showProgress(line = ""): void {
    this.#shell.stderr.write(`\r\u001b[K${neutralise(line)}`);
  }

  /** Asks the terminal for messages to mark what is pasted, or no more. */
  markPastes(on: boolean): void {
    this.#shell.stderr.write(`\u001b[?2004${on ? "h" : "l"}`);
  }

  #data(parts: readonly Inline[]): string {
    const { stdout } = this.#shell;
    return rendered(parts, this.#colours && stdout.isTTY === true && stdout.hasColors?.() === true);
  }
}

/** Returns a terminal's width. A terminal with an unknown size reports 0. */
function widthOf({ columns }: TerminalOutput): number | undefined {
  return columns === 0 ? undefined : columns;
}
