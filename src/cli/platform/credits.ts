/** Formats micros as exact credits: `1.5` for 1,500,000. */
export function credits(micros: number): string {
  const whole = Math.trunc(micros / 1_000_000);
  const part = String(Math.abs(micros % 1_000_000))
    .padStart(6, "0")
    .replace(/0+$/, "");
  const sign = micros < 0 && whole === 0 ? "-" : "";
  return part === "" ? `${sign}${whole}` : `${sign}${whole}.${part}`;
}
