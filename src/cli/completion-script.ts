import type { Command, Option } from "commander";

/** A word that may come next, and what it means. */
interface Candidate {
  word: string;
  meaning: string;
}

/** A shell's completion for a program: its commands first, then what belongs to the command that was named. */
export function completionScript(shell: "bash" | "zsh" | "fish", program: Command): string {
  return { bash, zsh, fish }[shell](program);
}

function bash(program: Command): string {
  const cases = program.commands.map(
    (command) => `    ${command.name()}) candidates="${words(command, program)}" ;;`,
  );
  return `_argosy() {
  local command="" candidates="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
      ${names(program).join("|")}) command="\${COMP_WORDS[at]}"; break ;;
    esac
  done
  case "$command" in
    "") candidates="${[...names(program), ...optionsOf(program).map(({ word }) => word)].join(" ")}" ;;
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _argosy argosy`;
}

function zsh(program: Command): string {
  const described = (candidates: readonly Candidate[]) =>
    candidates.map(({ word, meaning }) => quoted(`${word.replaceAll(":", "\\:")}:${meaning}`)).join(" ");
  const cases = program.commands.map((command) => {
    const candidates = [...candidatesOf(command), ...optionsOf(program)];
    return `    ${command.name()}) candidates=(${described(candidates)}) ;;`;
  });
  return `#compdef argosy
_argosy() {
  local command="" word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in
      ${names(program).join("|")}) command="$word"; break ;;
    esac
  done
  case "$command" in
    "") candidates=(${described([...commandsOf(program), ...optionsOf(program)])}) ;;
${cases.join("\n")}
  esac
  _describe argosy candidates || _files
}
compdef _argosy argosy`;
}

function fish(program: Command): string {
  const lines = [
    ...optionsOf(program).map((candidate) => fishOption(candidate)),
    ...commandsOf(program).map(
      ({ word, meaning }) => `complete -c argosy -n __fish_use_subcommand -a ${word} -d ${quoted(meaning)}`,
    ),
  ];
  for (const command of program.commands) {
    const condition = `-n ${quoted(`__fish_seen_subcommand_from ${command.name()}`)}`;
    for (const candidate of candidatesOf(command)) {
      if (candidate.word.startsWith("-")) lines.push(fishOption(candidate, condition));
      else lines.push(`complete -c argosy ${condition} -a ${candidate.word} -d ${quoted(candidate.meaning)}`);
    }
  }
  return lines.join("\n");
}

function fishOption({ word, meaning }: Candidate, condition?: string): string {
  return ["complete -c argosy", condition, `-l ${word.slice(2)} -d ${quoted(meaning)}`]
    .filter(Boolean)
    .join(" ");
}

function words(command: Command, program: Command): string {
  return [...candidatesOf(command), ...optionsOf(program)].map(({ word }) => word).join(" ");
}

function names(program: Command): string[] {
  return program.commands.map((command) => command.name());
}

/** What may follow a command: its own commands, the values of its arguments, its options and those of its commands. */
function candidatesOf(command: Command): Candidate[] {
  const values = command.registeredArguments.flatMap((argument) =>
    (argument.argChoices ?? []).map((word) => ({ word, meaning: argument.description })),
  );
  const inner = command.commands.flatMap((each) => candidatesOf(each));
  const all = [...commandsOf(command), ...values, ...optionsOf(command), ...inner];
  return [...new Map(all.map((candidate) => [candidate.word, candidate])).values()];
}

function commandsOf(command: Command): Candidate[] {
  return command.commands.map((each) => ({ word: each.name(), meaning: each.description() }));
}

function optionsOf(command: Command): Candidate[] {
  return command.options.flatMap((option: Option) =>
    option.long ? [{ word: option.long, meaning: option.description }] : [],
  );
}

/** In single quotes, which zsh and fish both close, escape and open again for an apostrophe. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
