/**
 * Writes docs/cli.md from the commands as they are parsed, so that the page always matches them.
 * `--check` writes nothing and fails if the page is out of date.
 */
import type { Argument, Command, Option } from "commander";
import { exitCodeMeanings } from "../src/cli/exit-codes.ts";
import { createProgram } from "../src/cli/program.ts";
import { commandExamples } from "./generating/command-examples.ts";

const file = new URL("../docs/cli.md", import.meta.url);

const conventions = `Results go to stdout; progress, notes and errors go to stderr. Commands never prompt when stdin is not a terminal.

With \`--json\`, stdout holds exactly one JSON document, also when the command fails:
\`{"error": code, "message": …, "hint"?: …, "problems"?: [{"path", "message", "line"?, "column"?}]}\`. Exceptions: \`run --stream\`, \`cloud
stream\`, \`chat\`, \`emulate\` and \`logs --follow\` print a document per frame, answer or log line, \`serve\` one line when it is ready; \`memory export\` and
\`backup -\` print their file. Otherwise errors are \`error: message\`, a hint, and problems as \`file:line:column: message\`.

If a server is running on the data folder, a command reaches it through its control socket, and a fault in a file of the workspace stops no command.
Otherwise the command opens the data folder itself. \`console\`, \`health\`, \`logs\`, \`workers\`, \`drill\` and \`mesh\` (except \`mesh find\`) need a server. If
the server lacks a service that a command needs, the error is \`service_missing\`.

Control characters, and marks that change the direction of text, are printed as escapes such as \`\\u001b\`, except in JSON, and in answers and documents in a
pipe or file. \`NO_COLOR\` turns off the colors of the output.

The lists omit \`argosy\` and the group in their heading. After "Also" come options that their name, an earlier line or the shared table explains;
\`argosy help <command>\` explains all.`;

interface Listed {
  /** The words of the call, without `argosy`. */
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
const row = (name: string, meaning: string): string => `| ${code(name)} | ${cell(meaning)} |`;
/** A command's option, below its command. */
const item = (name: string, meaning: string): string => `  - ${code(name)}: ${meaning}`;

const among = (choices: readonly string[] | undefined): string =>
  choices === undefined ? "" : `: ${choices.map(code).join(", ")}`;

function meaningOf(option: Option): string {
  const fallback = typeof option.defaultValue === "string" ? ` (${option.defaultValue})` : "";
  return `${option.description}${fallback}${among(option.argChoices)}`;
}

const textOf = (option: Option): string => `${option.flags} ${meaningOf(option)}`;
const flagOf = (option: Option): string => code(option.long ?? option.flags);

/** An argument that its name and the command's effect explain, such as `<agent>` "An agent's name". */
const explainsItself = ({ argChoices, description, required }: Argument): boolean =>
  argChoices === undefined && description.split(" ").length <= (required ? 7 : 3);

/** An option that its name explains, such as `--days <n>` "Number of days". */
const isPlain = (option: Option): boolean =>
  option.argChoices === undefined &&
  !/[(:;]/.test(meaningOf(option)) &&
  meaningOf(option).split(" ").length <= plainWords;
const plainWords = 7;

/** Returns the first of each group of equal options that `isMany` accepts by its number of members. */
function repeated(options: readonly Option[], isMany: (count: number) => boolean): Option[] {
  return [...Map.groupBy(options, textOf).values()].flatMap((same) =>
    isMany(same.length) ? same.slice(0, 1) : [],
  );
}

/** Texts of the options that several tables have in common; they are explained once, before all lists. */
const shared = new Set<string>();

/** Returns the lines of a command: itself, and the options that no earlier line explains. */
function commandLines(
  { name, command }: Listed,
  most: ReadonlySet<string>,
  explained: Set<string>,
): string[] {
  const own = command.options.filter((option) => !most.has(textOf(option)));
  const isNew = (option: Option) => !explained.has(textOf(option));
  const isListed = (option: Option) => isNew(option) && !isPlain(option);
  const known = own.filter((option) => !isListed(option)).map(flagOf);
  const rows = own.filter(isListed).map((option) => item(option.flags, sentence(meaningOf(option))));
  for (const option of own) explained.add(textOf(option));
  const call = [name, ...command.registeredArguments.map(shown)].join(" ");
  const parts = command.registeredArguments
    .filter((argument) => !explainsItself(argument))
    .map((argument) => ` ${code(shown(argument))}: ${argument.description}${among(argument.argChoices)}.`)
    .filter((part) => !explained.has(part));
  for (const part of parts) explained.add(part);
  const also = known.length === 0 ? "" : ` Also ${known.join(" ")}.`;
  const meaning = `${sentence(command.description())}${parts.join("")}${also}`;
  return [`- **${code(call)}**: ${meaning}`, ...rows];
}

const withoutGroup = (name: string): string =>
  name
    .split(" ")
    .slice(name.includes(" ") ? 1 : 0)
    .join(" ");

function list(listed: readonly Listed[]): string[] {
  const options = listed.flatMap(({ command }) => command.options);
  const most = repeated(options, (count) => listed.length > 2 && count * 2 > listed.length);
  const taken = most.map((option) => `${code(option.flags)} (${meaningOf(option)})`).join(", ");
  const explained = new Set(shared);
  const omitted = new Set(most.map(textOf));
  return [
    ...(taken === "" ? [] : [`Most of these commands also take ${taken}.`, ""]),
    ...listed.flatMap((each) => commandLines(each, omitted, explained)),
    "",
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
    ...(single.length === 0 ? [] : list(single.map((command) => ({ name: command.name(), command })))),
    ...groups.flatMap((command) => [
      `### argosy ${command.name()}`,
      "",
      ...list(callable(command, command.name()).map((each) => ({ ...each, name: withoutGroup(each.name) }))),
    ]),
  ];
}

const program = createProgram(async () => {});
const areas = Map.groupBy(program.commands, (command) => command.helpGroup().replace(/:$/, ""));
const isSingle = (command: Command): boolean => command.commands.length === 0;
/** Commands by the list that shows them, as `area` makes them. */
const lists = [...areas.values()].flatMap((commands) => [
  commands.filter(isSingle),
  ...commands
    .filter((command) => !isSingle(command))
    .map((command) => callable(command, "").map((each) => each.command)),
]);
const optionsOfLists = lists.flatMap((commands) =>
  repeated(
    commands.flatMap((command) => command.options),
    (count) => count > 0,
  ),
);
const textsOfFlag = Map.groupBy(new Set(optionsOfLists.map(textOf)), (text) => text.split(/[ ,]/)[0]);
const hasOneMeaning = (option: Option): boolean =>
  textsOfFlag.get(option.flags.split(/[ ,]/)[0])?.length === 1;
const sharedOptions = [
  ...repeated(optionsOfLists, (count) => count > 2),
  ...repeated(optionsOfLists, (count) => count === 2).filter(hasOneMeaning),
];
for (const option of sharedOptions) shared.add(textOf(option));
const page = [
  "# Command line",
  "",
  "<!-- Made by scripts/generate-cli-docs.ts. -->",
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
  ...program.options.map((option) => row(option.flags, sentence(meaningOf(option)))),
  "",
  "Several commands share these:",
  "",
  "| Option | Meaning |",
  "|---|---|",
  ...sharedOptions.map((option) => row(option.flags, sentence(meaningOf(option)))),
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
