/**
 * Returns true if `value` represents the JSON number `literal`: no overflow, no underflow to zero, and an integer keeps all of its digits
 * when it is written again. A fraction may be rounded.
 */
export function isRepresentable(literal: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // A double keeps any 15 significant digits, so a short literal is safe unless it became zero.
  if (literal.length <= 15 && (value !== 0 || literal === "0")) return true;
  const sent = decimalOf(literal);
  if (sent.digits === "") return true;
  if (value === 0) return false;
  if (sent.exponent < 0) return true;
  return decimalOf(String(value)).digits === sent.digits;
}

interface Decimal {
  /** Significant digits without zeros at either end; empty for zero. */
  digits: string;
  /** The power of ten of the last digit: negative for a fraction. */
  exponent: number;
}

function decimalOf(literal: string): Decimal {
  const [mantissa = "", power = "0"] = literal.replace("-", "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (digits[start] === "0") start++;
  while (end > start && digits[end - 1] === "0") end--;
  return {
    digits: digits.slice(start, end),
    exponent: Number(power) - fraction.length + digits.length - end,
  };
}
