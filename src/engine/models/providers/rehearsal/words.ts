import { normalized } from "../../../../kit/text/normalize.ts";
/** The words of a text in lower case and without accents; `camelCase` and `snake_case` are split. */
export function wordsOf(text: string): string[] {
  return (
    normalized(text.replace(/([a-z0-9])([A-Z])/g, "$1 $2"), "NFD")
      .replace(/\p{Mn}/gu, "")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** An approximate English stem: `stores`, `stored`, `storing` and `store` have the same one. */
export function stem(word: string): string {
  if (word.length < 4) return word;
  let rest = word;
  if (rest.endsWith("ies")) rest = `${rest.slice(0, -3)}y`;
  else if (/[^su]s$/.test(rest)) rest = rest.slice(0, -1);
  rest = rest.replace(/(?:ation|ator|ating|ated)$/, "ate");
  const cut = rest.replace(/(?:ing|ed)$/, "");
  if (cut.length >= 3) rest = cut;
  return rest.replace(/([bdgklmnprt])\1$/, "$1").replace(/e$/, "");
}

/** Words that say nothing about the request. */
const emptyWords = new Set(
  (
    "a an the this that these those it its i me my mine you your yours we us our he she they them their is are was were be been am do does did done " +
    "have has had having can could will would shall should may might must let to of in on at by for from with without and or but if then so as about into over " +
    "what which who whom whose when where why how please thanks thank hello hi hey ok okay yes no not just also there here some any all " +
    "want need like know tell say give get show make use using help try run go come take out up " +
    "que cual cuales el la los las un una de del en por para es son me mi tu y o a"
  ).split(" "),
);

/** Words of many sentences: they support a choice but never decide one. */
const weakWords = new Set(
  "now today current currently new next last good first one tool agent".split(" ").map(stem),
);

/** Groups of words with the same meaning, from queries and tool names. */
const kin = [
  "time date datetime clock hour day hora fecha dia",
  "weather forecast temperature rain",
  "search find lookup google busca buscar",
  "calculate compute calculator math sum arithmetic",
  "email mail",
  "fetch download request http",
  "write create save store add put set",
  "read open load get retrieve",
  "delete remove erase clear",
  "wikipedia encyclopedia article",
];

const kinOf = new Map(
  kin.flatMap((words, group) => words.split(" ").map((word) => [stem(word), group] as const)),
);

/** Stems of the meaningful words of a text, without duplicates, in order. */
export function stemsOf(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => !emptyWords.has(word))
      .map(stem),
  );
}

export function isWeak(stemmed: string): boolean {
  return weakWords.has(stemmed);
}

/** Returns true if one of `stems` means about the same as `stemmed` without being equal. */
export function hasKin(stemmed: string, stems: ReadonlySet<string>): boolean {
  const group = kinOf.get(stemmed);
  if (group === undefined) return false;
  for (const other of stems) if (kinOf.get(other) === group) return true;
  return false;
}
