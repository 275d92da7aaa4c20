/*
 * The English stemmer of Snowball (Porter 2). It sees folded words, so its vowels are those of ASCII. Words of other languages lose the same
 * endings in texts and in questions.
 */

const vowels = "aeiouy";
const isVowel = (letter: string | undefined) => letter !== undefined && vowels.includes(letter);

const irregular = new Map([
  ["skis", "ski"],
  ["skies", "sky"],
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ["idly", "idl"],
  ["gently", "gentl"],
  ["ugly", "ugli"],
  ["early", "earli"],
  ["only", "onli"],
  ["singly", "singl"],
  ...["sky", "news", "howe", "atlas", "cosmos", "bias", "andes"].map((word) => [word, word] as const),
]);

/** Words that stay as they are after step 1a. */
const unstemmed = new Set([
  "inning",
  "outing",
  "canning",
  "herring",
  "earring",
  "proceed",
  "exceed",
  "succeed",
]);

const stemmed = /^[a-z]{3,64}$/;

/** The stem of a folded word of three or more letters of ASCII; other words stay as they are. */
export function englishStem(word: string): string {
  if (!stemmed.test(word)) return word;
  const known = irregular.get(word);
  if (known !== undefined) return known;
  return new Stemming(word).result();
}

type Ending = readonly [ending: string, replacement: string];

/** Longest endings first. */
const derived: readonly Ending[] = [
  ["ization", "ize"],
  ["ational", "ate"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["iveness", "ive"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["entli", "ent"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ousli", "ous"],
  ["iviti", "ive"],
  ["fulli", "ful"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["abli", "able"],
  ["izer", "ize"],
  ["ator", "ate"],
  ["alli", "al"],
  ["bli", "ble"],
  ["ogi", "og"],
  ["li", ""],
];

const nominal: readonly Ending[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ative", ""],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];

const residual = "ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic".split(" ");

/** `Y` is a y that acts as a consonant. */
class Stemming {
  #word: string;
  /** Where the regions after the first and the second vowel with a consonant begin. */
  readonly #first: number;
  readonly #second: number;

  constructor(word: string) {
    this.#word = word.replace(/^y|(?<=[aeiouy])y/g, "Y");
    const prefix = /^(?:gener|commun|arsen)/.exec(this.#word)?.[0];
    this.#first = prefix?.length ?? this.#afterVowelConsonant(0);
    this.#second = this.#afterVowelConsonant(this.#first);
  }

  result(): string {
    this.#plural();
    if (unstemmed.has(this.#word)) return this.#word;
    this.#past();
    this.#finalY();
    this.#derived();
    this.#nominal();
    this.#residual();
    this.#finalE();
    return this.#word.replaceAll("Y", "y");
  }

  #afterVowelConsonant(from: number): number {
    for (let at = from + 1; at < this.#word.length; at++)
      if (isVowel(this.#word[at - 1]) && !isVowel(this.#word[at])) return at + 1;
    return this.#word.length;
  }

  #without(ending: string): string {
    return this.#word.slice(0, this.#word.length - ending.length);
  }

  #isIn(region: number, ending: string): boolean {
    return this.#word.length - ending.length >= region;
  }

  #plural(): void {
    const word = this.#word;
    if (word.endsWith("sses")) this.#word = this.#without("es");
    else if (/ie[ds]$/.test(word)) this.#word = word.length > 4 ? this.#without("es") : this.#without("s");
    else if (/(?:u|s)s$/.test(word)) return;
    else if (/[aeiouy].+s$/.test(word)) this.#word = this.#without("s");
  }

  #past(): void {
    const ending = /(?:eedly|ingly|edly|eed|ing|ed)$/.exec(this.#word)?.[0];
    if (ending === undefined) return;
    if (ending.startsWith("eed")) {
      if (this.#isIn(this.#first, ending)) this.#word = `${this.#without(ending)}ee`;
      return;
    }
    const rest = this.#without(ending);
    if (!/[aeiouy]/.test(rest)) return;
    this.#word = rest;
    if (/(?:at|bl|iz)$/.test(rest)) this.#word = `${rest}e`;
    else if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) this.#word = rest.slice(0, -1);
    else if (this.#first >= rest.length && endsInShortSyllable(rest)) this.#word = `${rest}e`;
  }

  #finalY(): void {
    if (/.[^aeiouy][yY]$/.test(this.#word)) this.#word = `${this.#word.slice(0, -1)}i`;
  }

  #derived(): void {
    const suffix = derived.find(([ending]) => this.#word.endsWith(ending));
    if (suffix === undefined || !this.#isIn(this.#first, suffix[0])) return;
    const rest = this.#without(suffix[0]);
    if (suffix[0] === "ogi" && !rest.endsWith("l")) return;
    if (suffix[0] === "li" && !/[cdeghkmnrt]$/.test(rest)) return;
    this.#word = rest + suffix[1];
  }

  #nominal(): void {
    const suffix = nominal.find(([ending]) => this.#word.endsWith(ending));
    if (suffix === undefined || !this.#isIn(this.#first, suffix[0])) return;
    if (suffix[0] === "ative" && !this.#isIn(this.#second, suffix[0])) return;
    this.#word = this.#without(suffix[0]) + suffix[1];
  }

  #residual(): void {
    const ending = residual.find((one) => this.#word.endsWith(one));
    if (ending === undefined || !this.#isIn(this.#second, ending)) return;
    if (ending === "ion" && !/[st]$/.test(this.#without(ending))) return;
    this.#word = this.#without(ending);
  }

  #finalE(): void {
    const rest = this.#word.slice(0, -1);
    if (this.#word.endsWith("e")) {
      const isKept =
        !this.#isIn(this.#second, "e") && (!this.#isIn(this.#first, "e") || endsInShortSyllable(rest));
      if (!isKept) this.#word = rest;
    } else if (this.#word.endsWith("ll") && this.#isIn(this.#second, "l")) this.#word = rest;
  }
}

/** A vowel between consonants, of which the second isn't w, x or Y; or a vowel at the start before a consonant. */
const endsInShortSyllable = (word: string): boolean =>
  /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word);
