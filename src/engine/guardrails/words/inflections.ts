/** Shorter words have too many similar words with another meaning. */
const inflectedMin = 3;
const longWordMin = 5;

/**
 * Simple inflections of a folded word: plurals, verb forms, and the singular of a plural. The rules of thumb fit English and the plurals of
 * Spanish, Portuguese, French and German. Words of other languages match as written.
 */
export function inflections(word: string): string[] {
  const forms = new Set([word]);
  if (word.length < inflectedMin || !/^[a-z]+$/.test(word)) return [...forms];
  forms.add(`${word}s`);
  if (/(?:[sxzo]|ch|sh)$/.test(word) || (word.length >= longWordMin && /[nlrd]$/.test(word)))
    forms.add(`${word}es`);
  const stem = word.slice(0, -1);
  if (word.endsWith("y")) forms.add(`${stem}ies`);
  if (word.endsWith("z")) forms.add(`${stem}ces`);
  if (word.length > inflectedMin) {
    const verb = word.endsWith("e") ? stem : word;
    for (const ending of ["ed", "ing"]) forms.add(verb + ending);
    if (word.endsWith("ies")) forms.add(`${word.slice(0, -3)}y`);
    if (/[^s]s$/.test(word)) forms.add(stem);
    if (/(?:[sxz]|ch|sh|[nlr])es$/.test(word)) forms.add(word.slice(0, -2));
  }
  if (word.length >= longWordMin) for (const ending of ["n", "en", "e"]) forms.add(word + ending);
  return [...forms];
}
