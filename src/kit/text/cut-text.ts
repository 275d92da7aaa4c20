/** Returns the first `charsMax` characters of a text (UTF-16 units), without cutting a surrogate pair. */
export function cutText(text: string, charsMax: number): string {
  const kept = text.slice(0, charsMax);
  const last = kept.charCodeAt(kept.length - 1);
  const isHalf = kept.length < text.length && last >= 0xd800 && last <= 0xdbff;
  return isHalf ? kept.slice(0, -1) : kept;
}
