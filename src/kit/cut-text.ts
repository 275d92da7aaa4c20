/** The beginning of a text: at most `charsMax` characters, and never half of one. */
export function cutText(text: string, charsMax: number): string {
  const kept = text.slice(0, charsMax);
  const last = kept.charCodeAt(kept.length - 1);
  const isHalf = kept.length < text.length && last >= 0xd800 && last <= 0xdbff;
  return isHalf ? kept.slice(0, -1) : kept;
}
