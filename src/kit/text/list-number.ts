const letters = [..."abcdefghijklmnopqrstuvwxyz"];

const romans: readonly (readonly [number, string])[] = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
];

/** A number in one of the types of HTML lists: `1`, `a`, `A`, `i` or `I`. */
export function listNumber(value: number, type: string): string {
  if (type === "a") return lettered(value);
  if (type === "A") return lettered(value).toUpperCase();
  if (type === "I") return roman(value);
  return type === "i" ? roman(value).toLowerCase() : String(value);
}

/** Counts a, b … z, aa, ab … */
function lettered(value: number): string {
  if (value < 1) return String(value);
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = `${letters[(rest - 1) % 26]}${text}`;
  return text;
}

export function roman(value: number): string {
  return value < 1 || value > 32_767 ? String(value) : addedSigns(value, romans);
}

/** Writes a number with signs that add up, the largest first. */
export function addedSigns(value: number, signs: readonly (readonly [number, string])[]): string {
  let rest = value;
  let text = "";
  for (const [worth, sign] of signs) for (; rest >= worth; rest -= worth) text += sign;
  return text;
}
