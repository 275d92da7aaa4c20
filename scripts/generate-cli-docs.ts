/**
 * Writes docs/cli.md from the command definitions, so that the page matches the program. `--check` writes nothing and fails if the page is
 * not up to date.
 */
import type { Argument, Command, Option } from "commander";
import { exitCodeMeanings } from "../src/cli/exit-codes.ts";
import { createProgram } from "../src/cli/program.ts";

const file = new URL("../docs/cli.md", import.meta.url);

const conventions = `Data goes to stdout, talk (progress, notes, errors) to stderr. Nothing ever asks a question where there is no terminal.

With \`--json\` stdout holds exactly one JSON document, also when the command fails: then it is
\`{"error": code, "message": …, "hint"?: …, "problems"?: [{"path", "message", "line"?, "column"?}]}\`. Commands that go on for
a while print one document a line instead: \`run --stream\` its frames, \`chat\` its answers, \`serve\` one line when it is
ready. Without \`--json\` errors read \`error: message\`, then a hint, then the problems as \`file:line:column: message\`.

A command reaches the server that runs on the data folder through its control socket. Where none runs, it opens the data
folder itself, so every command but \`console\` works with and without a server.

On a terminal tables keep to its width, and control characters in anything that a model, a file or a server wrote are made
visible instead of acted on. Into a pipe or a file everything goes whole and unchanged. The variable \`NO_COLOR\` switches
colours off.`;

function section(command: Command, level: string, prefix: string): string[] {
  const name = `${prefix} ${command.name()}`;
  const parts = [`${level} ${name}`, "", sentence(command.description()), ""];
  const isGroup =
    command.commands.length > 0 && command.options.length + command.registeredArguments.length === 0;
  const inner = command.commands.flatMap((each) => section(each, `${level}#`, name));
  return isGroup ? [...parts, ...inner] : [...parts, ...usage(command, name), ...inner];
}

function usage(command: Command, name: string): string[] {
  const form = [
    name,
    ...command.registeredArguments.map(shown),
    ...(command.options.length > 0 ? ["[options]"] : []),
  ];
  const call = ["```text usage", form.join(" "), "```", ""];
  const rows = [
    ...command.registeredArguments.map((argument) =>
      row(shown(argument), argument.description, argument.argChoices),
    ),
    ...command.options.map(optionRow),
  ];
  return rows.length === 0 ? call : [...call, "| | |", "|---|---|", ...rows, ""];
}

function shown(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "…" : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionRow(option: Option): string {
  const fallback = typeof option.defaultValue === "string" ? ` (${option.defaultValue})` : "";
  return row(option.flags, `${option.description}${fallback}`, option.argChoices);
}

function row(name: string, meaning: string, choices: readonly string[] | undefined): string {
  const among = choices === undefined ? "" : `: ${choices.map((choice) => `\`${choice}\``).join(", ")}`;
  return `| \`${name}\` | ${`${sentence(meaning).replace(/\.$/, "")}${among}.`.replaceAll("|", "\\|")} |`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const program = createProgram(async () => {});
const page = [
  "# Command line",
  "",
  "<!-- Made by scripts/generate-cli-docs.ts from the commands themselves. -->",
  "",
  program.description(),
  "",
  conventions,
  "",
  "## Exit codes",
  "",
  "| Code | Meaning |",
  "|---|---|",
  ...Object.entries(exitCodeMeanings).map(
    ([code, meaning]) => `| ${code} | ${meaning.replaceAll("|", "\\|")} |`,
  ),
  "",
  "## Options of every command",
  "",
  "| | |",
  "|---|---|",
  ...program.options.map(optionRow),
  "",
  ...program.commands.flatMap((command) => section(command, "##", program.name())),
].join("\n");

const stored = await Bun.file(file)
  .text()
  .catch(() => "");
if (stored !== page) {
  if (process.argv.includes("--check")) {
    console.error("docs/cli.md is not what the commands say: run scripts/generate-cli-docs.ts");
    process.exitCode = 1;
  } else await Bun.write(file, page);
}
