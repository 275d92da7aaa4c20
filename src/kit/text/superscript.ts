const signs: ReadonlyMap<string, string> = new Map(
  [..."0123456789+-−=()n"].map((sign, at) => [sign, [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ"][at] ?? sign]),
);

/** A raised text as one: `10⁶` instead of `106`. A text with other signs than digits and signs of formulas stays as it is. */
export function superscript(text: string): string {
  const raised = [...text].map((sign) => (sign === " " ? sign : signs.get(sign)));
  return raised.every((sign) => sign !== undefined) ? raised.join("") : text;
}
