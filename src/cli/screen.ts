import { type Inline, paint, rendered, textOf } from "./paint.ts";
import type { Shell, TerminalOutput } from "./shell.ts";
import { layoutTable } from "./table.ts";

/**
 * Where a command's words go: data to stdout, talk to stderr. With `--json` data is JSON and nothing else is on stdout.
 * Text is neutralised on its way to a terminal; into a pipe or a file data goes as it is.
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

  /** Whether somebody is reading along: details that would only litter a log are for them. */
  get hasReader(): boolean {
    return this.#shell.stderr.isTTY === true;
  }

  /** The width of the terminal that talk goes to. */
  get talkWidth(): number {
    return widthOf(this.#shell.stderr) ?? 80;
  }

  /** The width that data has to keep to; undefined where it goes into a pipe or a file. */
  get dataWidth(): number | undefined {
    return this.#shell.stdout.isTTY === true ? widthOf(this.#shell.stdout) : undefined;
  }

  /** One JSON document, for people's eyes indented. */
  document(value: unknown): void {
    this.#shell.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** One JSON document on one line, for a stream of them. */
  record(value: unknown): void {
    this.#shell.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** A line of data. */
  print(...parts: Inline[]): void {
    this.#shell.stdout.write(`${this.#data(parts)}\n`);
  }

  /** A part of a line of data; `endLine` ends it. */
  write(text: string): void {
    if (text === "") return;
    this.#shell.stdout.write(this.#data([text]));
    this.#lineOpen = !text.endsWith("\n");
  }

  /** Ends the line that `write` left open, if it did. */
  endLine(): void {
    if (this.#lineOpen) this.#shell.stdout.write("\n");
    this.#lineOpen = false;
  }

  /** Rows under a head, in columns; cut to the width of a terminal, whole everywhere else. */
  table(head: readonly string[], rows: readonly (readonly Inline[])[]): void {
    const all = [head.map((name) => paint("dim", name)), ...rows];
    for (const line of layoutTable(all, this.dataWidth)) this.print(...line);
  }

  /** Named values, one a line. */
  fields(rows: readonly (readonly [string, Inline])[]): void {
    const painted = rows.map(([name, value]) => [paint("dim", name), value]);
    for (const line of layoutTable(painted)) this.print(...line);
  }

  /** A line of talk. */
  say(...parts: Inline[]): void {
    const { stdout, stderr } = this.#shell;
    // Both are one screen when both are terminals: talk starts on a line of its own.
    if (this.#lineOpen && stdout.isTTY === true && stderr.isTTY === true) this.endLine();
    stderr.write(`${rendered(parts, this.#colours && stderr.hasColors?.() === true)}\n`);
  }

  #data(parts: readonly Inline[]): string {
    const { stdout } = this.#shell;
    if (stdout.isTTY === true) return rendered(parts, this.#colours && stdout.hasColors?.() === true);
    return parts.map(textOf).join("");
  }
}

/** A terminal that doesn't know its size says 0. */
function widthOf({ columns }: TerminalOutput): number | undefined {
  return columns === 0 ? undefined : columns;
}
