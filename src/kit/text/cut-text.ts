/** Returns the first `charsMax` characters of a text (UTF-16 units), without cutting a surrogate pair. */
export function cutText(text: string, charsMax: number): string {
  const beginning = text.slice(0, charsMax);
  const last = beginning.charCodeAt(beginning.length - 1);
  const isHalf = beginning.length < text.length && last >= 0xd800 && last <= 0xdbff;
  return isHalf ? beginning.slice(0, -1) : beginning;
}
