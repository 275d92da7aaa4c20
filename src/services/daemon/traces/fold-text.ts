/** Returns a text in the form that is searched: lower case, one Unicode form, one space for any white space. Both sides of a search are folded. */
export function foldText(text: string): string {
  return (
    text
      // PostgreSQL stores neither.
      .toWellFormed()
      .replaceAll("\0", "\ufffd")
      .normalize("NFC")
      .toLowerCase()
      // JavaScript writes a sigma at the end of a word differently.
      .replaceAll("ς", "σ")
      .replace(/\s+/g, " ")
  );
}
