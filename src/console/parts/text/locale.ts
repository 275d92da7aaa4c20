import { isLanguage, type Language } from "../../../contracts/console/language.ts";

const { document: page, navigator: browser } = globalThis as Partial<typeof globalThis>;
const pageLanguage = page?.documentElement.lang;

/** Language of all texts of this page. The server chose it, and built the page's scripts with these texts alone. */
export const language: Language = isLanguage(pageLanguage) ? pageLanguage : "en";

/** For a browser that lists no region of the language. */
const usualLocales: Readonly<Record<Language, string>> = { en: "en-GB", es: "es-419" };

/** BCP 47 tag for dates, numbers and money: the first one of the browser in the page's language, such as `es-MX`. */
export const locale: string =
  browser?.languages?.find((tag) => tag.split("-", 1)[0]?.toLowerCase() === language) ??
  usualLocales[language];

/** What separates the fraction of a number, also in fields: `.` or `,`. */
export const decimalSign: string =
  new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".";
