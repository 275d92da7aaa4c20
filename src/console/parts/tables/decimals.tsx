/** A text with a number: what comes before its last digit, its fraction with the point, and what follows: `$1` `.50` ` per month`. */
const lastNumber = /^(.*?\d)(\.\d+)?(\D*)$/s;

/** Returns the width of a number's fraction: 3 for `0.15`, 0 for `12` and for a text without a number. */
export const fractionWidth = (text: string): number => lastNumber.exec(text)?.[2]?.length ?? 0;

/** Returns the width of the widest fraction; contents of cells that are no texts count as none. */
export const widestFraction = (contents: readonly unknown[]): number =>
  contents.reduce<number>(
    (widest, content) => (typeof content === "string" ? Math.max(widest, fractionWidth(content)) : widest),
    0,
  );

/** A number whose decimal point is below those of its column: unseen digits make up for what its fraction lacks. */
export function AlignedNumber({ text, width }: { text: string; width: number }) {
  const [, number = "", fraction = "", rest = ""] = lastNumber.exec(text) ?? [];
  const missing = width - fraction.length;
  if (number === "" || missing <= 0) return text;
  const unseen = fraction === "" ? `.${"0".repeat(missing - 1)}` : "0".repeat(missing);
  return (
    <>
      {number}
      {fraction}
      <span className="ar-unseen-digits" data-digits={unseen} />
      {rest}
    </>
  );
}
