/*
 * Ways to hide words from a human reader but not from a model. Each is decoded in one pass over the text, and the decoded text is judged
 * like any other.
 */

/** Number of zero-width characters next to Latin letters. Those that join emoji and Indic letters have other neighbours. */
export function zeroWidthCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isZeroWidth = (code >= 0x200b && code <= 0x200d) || code === 0x2060 || code === 0xfeff;
    if (isZeroWidth && (isLatin(text.charCodeAt(at - 1)) || isLatin(text.charCodeAt(at + 1)))) count++;
  }
  return count;
}

/** Text written in invisible tag characters. Region flags use them as well and don't count. */
export function invisibleText(text: string): string {
  let hidden = "";
  let isFlag = false;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isTag = code >= 0xe0020 && code <= 0xe007f;
    if (isTag && !isFlag && code < 0xe007f) hidden += String.fromCharCode(code - 0xe0000);
    if (!isTag) isFlag = code === 0x1f3f4;
  }
  return hidden;
}

/** Cyrillic and Greek letters, each with the Latin letter it resembles. */
const lookAlikes = new Map(
  "аa еe оo рp сc хx уy іi ѕs јj һh ԁd ԛq ԝw кk мm тt вb АA ЕE ОO РP СC ХX ВB МM НH ТT КK ІI ЅS αa εe οo ρp ιi νv τt κk υu ΑA ΕE ΟO ΡP ΙI ΤT ΚK ΝN ΜM"
    .split(" ")
    .map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)]),
);

/** The text with look-alike letters replaced by Latin ones; undefined if no word mixes scripts. */
export function withoutLookAlikes(text: string): string | undefined {
  if (
    !/[\p{Script=Latin}][\u0370-\u03ff\u0400-\u052f]|[\u0370-\u03ff\u0400-\u052f][\p{Script=Latin}]/u.test(
      text,
    )
  )
    return undefined;
  return text.replace(/[\u0370-\u03ff\u0400-\u052f]/g, (letter) => lookAlikes.get(letter) ?? letter);
}

const leet: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "l",
};

/** The text with digits and signs replaced by the letters they resemble; undefined if none is inside a word. */
export function withoutLeet(text: string): string | undefined {
  if (!/[A-Za-z][013457@$!|][A-Za-z]/.test(text)) return undefined;
  return text.replace(/[013457@$!|]/g, (sign) => leet[sign] ?? sign);
}

/** Runs of separated letters (`i g n o r e`, `i-g-n-o-r-e`) and their starts. */
export function spacedLetters(text: string): { letters: string; start: number }[] {
  const runs: { letters: string; start: number }[] = [];
  let letters = "";
  let start = 0;
  let gap = 0;
  const finish = () => {
    if (letters.length >= 8) runs.push({ letters: letters.toLowerCase(), start });
    letters = "";
  };
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at);
    if (isAsciiLetter(code)) {
      if (isAsciiLetter(text.charCodeAt(at + 1)) || isAsciiLetter(text.charCodeAt(at - 1))) finish();
      else {
        if (letters === "") start = at;
        letters += text[at];
      }
      gap = 0;
    } else if (++gap > 4 || at === text.length) finish();
  }
  return runs;
}

/** Shorter runs decode to nothing meaningful. */
const encodedMin = 16;
/** Maximum number of runs decoded in one text. */
const encodedMost = 32;
const encodedLengthMax = 65_536;

/** Decoded contents of base64, hexadecimal, percent and HTML encoded parts of a text, if they are readable. */
export function decodedTexts(text: string): string[] {
  const decoded: string[] = [];
  const add = (said: string | undefined) => {
    if (said !== undefined && decoded.length < encodedMost && isReadable(said)) decoded.push(said);
  };
  for (const run of runsOf(text, isBase64)) {
    if (/^[0-9A-Fa-f]+$/.test(run) && run.length % 2 === 0) add(bytesText(Buffer.from(run, "hex")));
    else if (run.length >= encodedMin) add(bytesText(Buffer.from(run, "base64")));
  }
  for (const run of hexPairs(text)) add(bytesText(Buffer.from(run, "hex")));
  if (/(?:%[0-9A-Fa-f]{2}){4}/.test(text)) add(percentDecoded(text));
  if (/(?:&#x?[0-9A-Fa-f]{2,6};){4}/.test(text)) add(entitiesDecoded(text));
  return decoded;
}

/** Returns true if a text has a long run that may be encoded. */
export function holdsEncoded(text: string): boolean {
  return runsOf(text, isBase64).some((run) => /[0-9+/=]/.test(run) || /[a-z][A-Z]/.test(run));
}

function runsOf(text: string, belongs: (code: number) => boolean): string[] {
  const runs: string[] = [];
  for (let at = 0; at < text.length && runs.length < encodedMost; at++) {
    if (!belongs(text.charCodeAt(at))) continue;
    const start = at;
    while (belongs(text.charCodeAt(at))) at++;
    if (at - start >= encodedMin) runs.push(text.slice(start, Math.min(at, start + encodedLengthMax)));
  }
  return runs;
}

/** Bytes written as hexadecimal pairs separated by spaces, `\x` or `0x`. */
function hexPairs(text: string): string[] {
  const runs: string[] = [];
  for (const [run] of text.matchAll(/(?:(?:\\x|0x|[ ,:])?[0-9A-Fa-f]{2}(?![0-9A-Fa-f])){8,4096}/g)) {
    if (runs.length >= encodedMost) break;
    runs.push(run.replace(/\\x|0x|[ ,:]/g, ""));
  }
  return runs;
}

function percentDecoded(text: string): string {
  return text.replace(
    /(?:%[0-9A-Fa-f]{2}){1,64}/g,
    (run) => bytesText(Buffer.from(run.replaceAll("%", ""), "hex")) ?? "",
  );
}

function entitiesDecoded(text: string): string {
  return text.replace(/&#(x?)([0-9A-Fa-f]{2,6});/g, (_, isHex: string, digits: string) => {
    const code = Number.parseInt(digits, isHex === "" ? 10 : 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}

function bytesText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns true for text without the control characters that a wrongly guessed encoding produces. */
function isReadable(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x09 || (code > 0x0d && code < 0x20) || (code > 0x7e && code < 0xa0) || code === 0xfffd)
      return false;
  }
  return text.length >= 8;
}

function isBase64(code: number): boolean {
  return (
    isAsciiLetter(code) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2f ||
    code === 0x3d ||
    code === 0x2d ||
    code === 0x5f
  );
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isLatin(code: number): boolean {
  return isAsciiLetter(code) || (code >= 0xc0 && code <= 0x24f);
}
