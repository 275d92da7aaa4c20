import type { Command, Option } from "commander";
import { kindNamed, type NameKind } from "./completion-names.ts";

/** A completion and its description. */
interface Candidate {
  word: string;
  meaning: string;
}

/** A command and its path: the words that lead to it, each after a space; empty for the program. */
interface Place {
  path: string;
  command: Command;
}

/** Returns a shell's completion script for a program. It completes for the command before the cursor, at any depth. */
export function completionScript(shell: "bash" | "zsh" | "fish", program: Command): string {
  return { bash, zsh, fish }[shell](program);
}

function bash(program: Command): string {
  const places = placesOf(program);
  const cases = places.map(
    ({ path, command }) =>
      `    "${path}") candidates="${candidatesOf(command, program)
        .map(({ word }) => word)
        .join(" ")}" ;;`,
  );
  return `_argosy() {
  local path="" skip="" candidates="" word at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
${walkOf(places, program)}
  done
  [ -n "$skip" ] && path="$path:$word"
  case "$path" in
${cases.join("\n")}
${choicesOf(places)
  .map(({ at, words }) => `    "${at}") candidates="${words.join(" ")}" ;;`)
  .join("\n")}
  esac
  case "$path" in
${namedPlaces(places)
  .map(
    ({ at, kind }) =>
      `    "${at}") candidates="$candidates $(argosy completion --names ${kind} 2>/dev/null)" ;;`,
  )
  .join("\n")}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _argosy argosy`;
}

function zsh(program: Command): string {
  const places = placesOf(program);
  const described = (candidates: readonly Candidate[]) =>
    candidates.map(({ word, meaning }) => quoted(`${word.replaceAll(":", "\\:")}:${meaning}`)).join(" ");
  const cases = places.map(
    ({ path, command }) => `    "${path}") candidates=(${described(candidatesOf(command, program))}) ;;`,
  );
  return `#compdef argosy
_argosy() {
  local route="" skip="" word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
${walkOf(places, program).replaceAll("$path", "$route").replaceAll("path=", "route=")}
  done
  [ -n "$skip" ] && route="$route:$word"
  case "$route" in
${cases.join("\n")}
${choicesOf(places)
  .map(({ at, words }) => `    "${at}") candidates=(${words.join(" ")}) ;;`)
  .join("\n")}
  esac
  case "$route" in
${namedPlaces(places)
  .map(
    ({ at, kind }) =>
      `    "${at}") candidates+=(\${(f)"$(argosy completion --names ${kind} 2>/dev/null)"}) ;;`,
  )
  .join("\n")}
  esac
  _describe argosy candidates || _files
}
compdef _argosy argosy`;
}

/** The part that bash and zsh share: follows the words to the command, and skips options and their values. */
function walkOf(places: readonly Place[], program: Command): string {
  const inner = places.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`]));
  return `    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$path:$word" in
      ${valued(places, program).join("|")}) skip=1; continue ;;
    esac
    case "$path $word" in
      ${inner.join("|")}) path="$path $word" ;;
    esac`;
}

/** Returns patterns of options that take a value: those of the program anywhere, others after their command. */
function valued(places: readonly Place[], program: Command): string[] {
  return [
    ...program.options.filter(({ required }) => required).map(({ long }) => `*":${long}"`),
    ...places.flatMap(({ path, command }) =>
      path === ""
        ? []
        : command.options.filter(({ required }) => required).map(({ long }) => `"${path}:${long}"`),
    ),
  ];
}

/** Returns the values of options that have a closed list of them, at `path:--option`. */
function choicesOf(places: readonly Place[]): { at: string; words: readonly string[] }[] {
  return places.flatMap(({ path, command }) =>
    command.options.flatMap(({ long, argChoices }) =>
      argChoices === undefined ? [] : [{ at: `${path}:${long}`, words: argChoices }],
    ),
  );
}

/** Places where a name is expected that only the installation knows: after a command, or at `path:--option`. */
function namedPlaces(places: readonly Place[]): { at: string; kind: NameKind }[] {
  return places.flatMap(({ path, command }) => {
    const values = command.registeredArguments.flatMap((argument) => kindNamed(argument.name()) ?? []);
    const own = [...new Set(values)].map((kind) => ({ at: path, kind }));
    const options = command.options.flatMap(({ long, required }) => {
      const kind = long && required ? kindNamed(long) : undefined;
      return kind === undefined ? [] : [{ at: `${path}:${long}`, kind }];
    });
    return [...own, ...options];
  });
}

function fish(program: Command): string {
  const places = placesOf(program);
  const inner = places.flatMap(({ path }) => (path === "" ? [] : [quoted(path)]));
  const lines = [
    "function __argosy_path",
    "  set -l path ''",
    "  set -l skip ''",
    "  for word in (commandline -opc)[2..-1]",
    '    if test -n "$skip"',
    "      set skip ''",
    "      continue",
    "    end",
    '    switch "$path:$word"',
    `      case ${valued(places, program)
      .map((pattern) => quoted(pattern.replaceAll('"', "")))
      .join(" ")}`,
    "        set skip 1",
    "        continue",
    "    end",
    '    switch "$path $word"',
    `      case ${inner.join(" ")}`,
    '        set path "$path $word"',
    "    end",
    "  end",
    '  echo "$path"',
    "end",
  ];
  for (const candidate of optionsOf(program)) lines.push(fishOption(candidate));
  for (const { path, command } of places) {
    const condition = `-n ${quoted(`test (__argosy_path) = "${path}"`)}`;
    const own = candidatesOf(command, program).filter(
      ({ word }) => !optionsOf(program).some((option) => option.word === word),
    );
    for (const candidate of own) {
      if (candidate.word.startsWith("-")) lines.push(fishOption(candidate, condition));
      else lines.push(`complete -c argosy ${condition} -a ${candidate.word} -d ${quoted(candidate.meaning)}`);
    }
  }
  for (const { at, kind } of namedPlaces(places)) {
    const [path, option] = at.split(":");
    const condition = `-n ${quoted(`test (__argosy_path) = "${path}"`)}`;
    const where = option === undefined ? condition : `${condition} -l ${option.slice(2)} -r`;
    lines.push(`complete -c argosy ${where} -a ${quoted(`(argosy completion --names ${kind} 2>/dev/null)`)}`);
  }
  return lines.join("\n");
}

function fishOption({ word, meaning }: Candidate, condition?: string): string {
  return ["complete -c argosy", condition, `-l ${word.slice(2)} -d ${quoted(meaning)}`]
    .filter(Boolean)
    .join(" ");
}

function placesOf(command: Command, path = ""): Place[] {
  return [{ path, command }, ...command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`))];
}

/** Returns the completions after a command: its subcommands, argument values and options, and the program's options. */
function candidatesOf(command: Command, program: Command): Candidate[] {
  const values = command.registeredArguments.flatMap((argument) =>
    (argument.argChoices ?? []).map((word) => ({ word, meaning: argument.description })),
  );
  const inner = command.commands.map((each) => ({ word: each.name(), meaning: each.description() }));
  const all = [...inner, ...values, ...optionsOf(command), ...optionsOf(program)];
  return [...new Map(all.map((candidate) => [candidate.word, candidate])).values()];
}

function optionsOf(command: Command): Candidate[] {
  return command.options.flatMap((option: Option) =>
    option.long ? [{ word: option.long, meaning: option.description }] : [],
  );
}

/** Quotes with single quotes; for an apostrophe, zsh and fish both close, escape and reopen them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
