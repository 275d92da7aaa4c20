/**
 * Writes docs/cli.md from the commands as they are parsed, so that the page always matches them.
 * `--check` writes nothing and fails if the page is out of date.
 */
import type { Argument, Command, Option } from "commander";
import { exitCodeMeanings } from "../src/cli/exit-codes.ts";
import { createProgram } from "../src/cli/program.ts";
import { commandExamples } from "./generating/command-examples.ts";

const file = new URL("../docs/cli.md", import.meta.url);

const conventions = `For everyone who uses a terminal. Results go to stdout; progress, notes and errors go to stderr. Commands never prompt when stdin
is not a terminal.

With \`--json\`, stdout holds exactly one JSON document, also when the command fails:
\`{"error": code, "message": …, "hint"?: …, "problems"?: [{"path", "message", "line"?, "column"?}]}\`. Long-running commands
print one document per line instead: \`run --stream\` prints frames, \`chat\` prints answers, and \`serve\` prints one line when it is
ready. Without \`--json\`, an error is printed as \`error: message\`, followed by a hint and the problems as \`file:line:column: message\`.

If a server is running on the data folder, a command reaches it through its control socket, and the server's configuration counts: a
fault in a file of the workspace stops no command. If no server is running, the command opens the data folder itself. \`console\`,
\`health\`, \`logs\`, \`workers\`, \`drill\` and \`mesh\` (except \`mesh find\`) need a server. If the server doesn't serve what a command needs, the error is
\`service_missing\`.

On a terminal, tables fit its width. Control characters, and marks that change the direction of text, are printed as escapes such as
\`\\u001b\`; JSON keeps its value. Only answers and documents, such as manifests, reach a pipe or a file unchanged. The variable
\`NO_COLOR\` turns colors off.

The tables omit the word \`argosy\` and arguments that their name explains. Each table of options follows the commands that have them.
\`argosy help <command>\` shows one command.`;

interface Listed {
  /** The command as it is called after the words of the heading. */
  name: string;
  command: Command;
}

const isGroup = (command: Command): boolean =>
  command.commands.length > 0 && command.options.length + command.registeredArguments.length === 0;

/** Returns the commands that can be called, depth first. */
function callable(command: Command, name: string): Listed[] {
  const inner = command.commands.flatMap((each) => callable(each, `${name} ${each.name()}`));
  return isGroup(command) ? inner : [{ name, command }, ...inner];
}

function shown(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "…" : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll("|", "\\|");
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
const longFlag = (option: Option): string => option.long ?? option.flags;

function commandRow({ name, command }: Listed, most: readonly Option[]): string {
  const call = [name, ...command.registeredArguments.map(shown)].join(" ");
  const own = command.options.filter(({ flags }) => most.every((option) => option.flags !== flags));
  const options = own.map((option) => code(longFlag(option))).join(" ");
  return `| \`${call}\` | ${cell(sentence(command.description()))} | ${options} |`;
}

/** Returns the options that most commands of a table have. */
function optionsOfMost(listed: readonly Listed[]): Option[] {
  const options = listed.flatMap(({ command }) => command.options);
  return [...Map.groupBy(options, ({ flags }) => flags).values()].flatMap((same) =>
    listed.length > 2 && same.length * 3 > listed.length * 2 ? same.slice(0, 1) : [],
  );
}

interface Meaning {
  form: string;
  meaning: string;
  names: string[];
}

/** A required argument that its name and the command's effect explain, such as `<agent>` "An agent's name". */
const explainsItself = ({ argChoices, description, required }: Argument): boolean =>
  required && argChoices === undefined && description.split(" ").length <= 7;

/** Returns the meanings of arguments and options; one that several commands share is listed once. */
function meaningsOf(listed: readonly Listed[]): Meaning[] {
  const found = new Map<string, Meaning>();
  const add = (name: string, form: string, meaning: string, choices: readonly string[] | undefined) => {
    const among = choices === undefined ? "" : `: ${choices.map(code).join(", ")}`;
    const text = `${sentence(meaning).replace(/\.$/, "")}${among}.`;
    const known = found.get(`${form} ${text}`);
    if (known === undefined) found.set(`${form} ${text}`, { form, meaning: text, names: [name] });
    else known.names.push(name);
  };
  for (const { name, command } of listed) {
    for (const argument of command.registeredArguments)
      if (!explainsItself(argument)) add(name, shown(argument), argument.description, argument.argChoices);
    for (const option of command.options) {
      const fallback = typeof option.defaultValue === "string" ? ` (${option.defaultValue})` : "";
      add(name, option.flags, `${option.description}${fallback}`, option.argChoices);
    }
  }
  return [...found.values()];
}

/** Names the commands of a meaning only where another command of the table gives the same option another one; the first has the most. */
function meaningRows(meanings: readonly Meaning[]): string[] {
  const keyOf = ({ form }: Meaning) => form.split(" ")[0] ?? form;
  const byKey = Map.groupBy(meanings, keyOf);
  const rows = [...byKey.values()].flatMap((same) =>
    same
      .toSorted((a, b) => b.names.length - a.names.length)
      .map((each, index) => ({ each, isFirst: index === 0 })),
  );
  return rows.map(({ each, isFirst }) => {
    const isNamed = !isFirst || each.form.startsWith("<") || each.form.startsWith("[");
    const of = isNamed ? ` (${each.names.map(withoutGroup).join(", ")})` : "";
    return `| \`${each.form}\`${of} | ${cell(each.meaning)} |`;
  });
}

const withoutGroup = (name: string): string =>
  name
    .split(" ")
    .slice(name.includes(" ") ? 1 : 0)
    .join(" ");

/** Options with one meaning in at least three tables; they are listed once. */
const shared = new Set<string>();
const textOf = ({ form, meaning }: Meaning): string => `${form} ${meaning}`;

function tables(listed: readonly Listed[]): string[] {
  const most = optionsOfMost(listed);
  const meanings = meaningRows(meaningsOf(listed).filter((each) => !shared.has(textOf(each))));
  const taken = most.map((option) => code(longFlag(option))).join(", ");
  return [
    ...(taken === "" ? [] : [`Most of these commands also take ${taken}.`, ""]),
    "| Command | Effect | Options |",
    "|---|---|---|",
    ...listed.map((each) => commandRow(each, most)),
    "",
    ...(meanings.length === 0 ? [] : ["| Option | Meaning |", "|---|---|", ...meanings, ""]),
  ];
}

function area(heading: string, commands: readonly Command[]): string[] {
  const single = commands.filter((command) => command.commands.length === 0);
  const groups = commands.filter((command) => command.commands.length > 0);
  const examples = commandExamples[heading];
  if (examples === undefined)
    throw new Error(`"${heading}" has no example in scripts/generating/command-examples.ts.`);
  return [
    `## ${heading}`,
    "",
    "```sh",
    ...examples,
    "```",
    "",
    ...(single.length === 0 ? [] : tables(single.map((command) => ({ name: command.name(), command })))),
    ...groups.flatMap((command) => [
      `### argosy ${command.name()}`,
      "",
      ...tables(callable(command, command.name())),
    ]),
  ];
}

const program = createProgram(async () => {});
const areas = Map.groupBy(program.commands, (command) => command.helpGroup().replace(/:$/, ""));
const everywhere = program.commands.flatMap((command) =>
  meaningsOf(callable(command, command.name())).filter(({ form }) => form.startsWith("-")),
);
const sharedMeanings = [...Map.groupBy(everywhere, textOf).values()].flatMap((same) =>
  same.length >= 3 ? same.slice(0, 1) : [],
);
for (const each of sharedMeanings) shared.add(textOf(each));
const page = [
  "# Command line",
  "",
  "<!-- Made by scripts/generate-cli-docs.ts from the commands themselves. -->",
  "",
  conventions,
  "",
  "## Exit codes",
  "",
  "| Code | Meaning |",
  "|---|---|",
  ...Object.entries(exitCodeMeanings).map(([exit, meaning]) => `| ${exit} | ${cell(meaning)} |`),
  "",
  "## Options of every command",
  "",
  "| Option | Meaning |",
  "|---|---|",
  ...meaningRows(meaningsOf([{ name: "argosy", command: program }])),
  "",
  "Several commands share these:",
  "",
  "| Option | Meaning |",
  "|---|---|",
  ...sharedMeanings.map(({ form, meaning }) => `| \`${form}\` | ${cell(meaning)} |`),
  "",
  ...[...areas].flatMap(([heading, commands]) => area(heading, commands)),
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
