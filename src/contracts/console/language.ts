/** Languages of the console. */
export const languages = ["en", "es"] as const;
export type Language = (typeof languages)[number];

/** Cookie with the language that a person chose in the user menu. */
export const languageCookie = "argosy_language";

export const isLanguage = (text: unknown): text is Language =>
  languages.some((language) => language === text);

/** Returns the first of a person's BCP 47 tags, in order of preference, that is in one of our languages; English if none is. */
export function preferredLanguage(tags: readonly string[]): Language {
  for (const tag of tags) {
    const language = tag.split("-", 1)[0]?.toLowerCase();
    if (isLanguage(language)) return language;
  }
  return "en";
}
