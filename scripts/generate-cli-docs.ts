/**
 * Writes docs/cli.md from the commands as they are parsed, so that the page always matches them.
 * `--check` writes nothing and fails if the page is out of date.
 */
import type { Argument, Command, Option } from "commander";
import { exitCodeMeanings } from "../src/cli/exit-codes.ts";
import { createProgram } from "../src/cli/program.ts";

const file = new URL("../docs/cli.md", import.meta.url);

const conventions = `Results go to stdout; progress, notes and errors go to stderr. Commands never prompt when stdin is not a terminal.

With \`--json\`, stdout holds exactly one JSON document, also when the command fails:
\`{"error": code, "message": …, "hint"?: …, "problems"?: [{"path", "message", "line"?, "column"?}]}\`. Long-running commands
print one document per line instead: \`run --stream\` prints frames, \`chat\` prints answers, and \`serve\` prints one line when it is
ready. Without \`--json\`, an error is printed as \`error: message\`, followed by a hint and the problems as \`file:line:column: message\`.

If a server is running on the data folder, a command reaches it through its control socket. Otherwise the command opens the data
folder itself. \`console\`, \`logs\`, \`workers\`, \`health\` and those of \`mesh\` need a server. If a server runs, its configuration
counts: a fault in a file of the workspace stops no command. If it doesn't serve what a command needs, the error is \`service_missing\`.

On a terminal, tables fit its width. Control characters, and marks that change the direction of text, are printed as escapes such as
\`\\u001b\`; JSON keeps its value. Only answers and documents, such as manifests, reach a pipe or a file unchanged. The variable
\`NO_COLOR\` turns colors off.`;

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
