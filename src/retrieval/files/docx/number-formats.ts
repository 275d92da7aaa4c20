import { addedSigns, roman } from "../../../kit/text/list-number.ts";

/** A number as a list shows it, in a format of WordprocessingML; unknown formats count in digits. */
export function formatNumber(value: number, format: string): string {
  if (value < 1 && format !== "decimal" && format !== "decimalZero") return String(value);
  const letters = alphabets.get(format);
  if (letters !== undefined) return letter(value, [...letters]);
  if (format === "lowerRoman") return roman(value).toLowerCase();
  if (format === "upperRoman") return roman(value);
  if (format === "decimalZero") return String(value).padStart(2, "0");
  if (format === "ordinal") return `${value}${ordinalEnding(value)}`;
  if (format === "none") return "";
  if (format === "hebrew1") return hebrew(value);
  if (format.startsWith("decimalEnclosedCircle") && value <= 20) return String.fromCodePoint(0x245f + value);
  if (format === "decimalFullWidth" || format === "decimalFullWidth2")
    return String(value).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  if (chineseFormats.has(format)) return chinese(value);
  return String(value);
}

const alphabets: ReadonlyMap<string, string> = new Map([
  ["lowerLetter", "abcdefghijklmnopqrstuvwxyz"],
  ["upperLetter", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
  ["lowerGreek", "αβγδεζηθικλμνξοπρστυφχψω"],
  ["russianLower", "абвгдежзиклмнопрстуфхцчшщыэюя"],
  ["russianUpper", "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ"],
  ["arabicAlpha", "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"],
  ["arabicAbjad", "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"],
  ["hebrew2", "אבגדהוזחטיכלמנסעפצקרשת"],
  ["thaiLetters", "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ"],
]);

const repeatsMax = 30;

/** After the last letter they are doubled: `aa`, `bb`. */
function letter(value: number, alphabet: readonly string[]): string {
  const one = alphabet[(value - 1) % alphabet.length] ?? "";
  return one.repeat(Math.min(Math.ceil(value / alphabet.length), repeatsMax));
}

function ordinalEnding(value: number): string {
  const tens = value % 100;
  if (tens >= 11 && tens <= 13) return "th";
  return ["th", "st", "nd", "rd"][value % 10] ?? "th";
}

const hebrewSigns: readonly (readonly [number, string])[] = [
  ..."תשרק".split("").map((sign, index) => [400 - 100 * index, sign] as const),
  ..."צפעסנמלכי".split("").map((sign, index) => [90 - 10 * index, sign] as const),
  ..."טחזוהדגבא".split("").map((sign, index) => [9 - index, sign] as const),
];

/** 15 and 16 are written as 9 and 6 or 7, so that they don't spell a name of God. */
function hebrew(value: number): string {
  if (value > 999) return String(value);
  return addedSigns(value, hebrewSigns).replace("יה", "טו").replace("יו", "טז");
}

const chineseFormats: ReadonlySet<string> = new Set([
  "chineseCounting",
  "chineseCountingThousand",
  "japaneseCounting",
  "taiwaneseCounting",
  "taiwaneseCountingThousand",
  "ideographDigital",
  "japaneseDigitalTenThousand",
]);
const chineseDigits = [..."〇一二三四五六七八九"];

function chinese(value: number): string {
  if (value > 99) return [...String(value)].map((digit) => chineseDigits[Number(digit)]).join("");
  const tens = Math.floor(value / 10);
  const ones = value % 10 === 0 && value > 0 ? "" : chineseDigits[value % 10];
  return `${tens > 1 ? chineseDigits[tens] : ""}${tens > 0 ? "十" : ""}${ones}`;
}
