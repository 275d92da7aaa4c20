import type { Argument, Command, Option } from "commander";

/** Returns the man page of a program, in the macros of man(7): its commands at any depth with their arguments and options. */
export function manPage(program: Command, version: string): string {
  const name = program.name();
  return [
    `.TH ${name.toUpperCase()} 1 "" "${name} ${escaped(version)}" "User commands"`,
    ".SH NAME",
    `${name} \\- ${escaped(lowered(program.description()))}`,
    ".SH SYNOPSIS",
    `.B ${name}`,
    "[options] <command>",
    ".SH DESCRIPTION",
    "Results are printed on stdout, messages and errors on stderr.",
    "Full documentation:",
    `.B ${name} serve`,
    "serves it at /docs.",
    ".SH OPTIONS",
    ...program.options.flatMap(optionLines),
    ".SH COMMANDS",
    ...program.commands.flatMap((command) => commandLines(command, name)),
    ".SH EXIT STATUS",
    "0 success, 1 failure, 2 usage error, 70 internal error, 130 interrupted.",
    "",
  ].join("\n");
}

function commandLines(command: Command, prefix: string): string[] {
  const name = `${prefix} ${command.name()}`;
  const inner = command.commands.flatMap((each) => commandLines(each, name));
  const isGroup = inner.length > 0 && command.options.length + command.registeredArguments.length === 0;
  if (isGroup) return inner;
  const form = [name, ...command.registeredArguments.map(argumentText)].join(" ");
  return [
    `.SS ${escaped(form)}`,
    `${escaped(command.description())}.`,
    ...command.registeredArguments.flatMap((argument) =>
      entry(argumentText(argument), argument.description, argument.argChoices),
    ),
    ...command.options.flatMap(optionLines),
    ...inner,
  ];
}

const optionLines = (option: Option): string[] => entry(option.flags, option.description, option.argChoices);

function entry(head: string, text: string, choices: readonly string[] | undefined): string[] {
  const among = choices === undefined ? "" : ` (${choices.join(", ")})`;
  return [".TP", `.B ${escaped(head)}`, escaped(`${text}${among}`)];
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Escapes text for roff: a backslash, a hyphen, and a dot or an apostrophe that would begin a request. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...").replace(/^[.']/, "\\&$&");
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
