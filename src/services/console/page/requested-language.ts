import {
  isLanguage,
  type Language,
  languageCookie,
  preferredLanguage,
} from "../../../contracts/console/language.ts";

/** Returns the language of a page: the one that the person chose, otherwise the first one of ours that the browser accepts. */
export function requestedLanguage({ headers }: Request): Language {
  return (
    chosenLanguage(headers.get("cookie") ?? "") ??
    preferredLanguage(acceptedTags(headers.get("accept-language") ?? ""))
  );
}

function chosenLanguage(cookies: string): Language | undefined {
  for (const pair of cookies.split(";")) {
    const at = pair.indexOf("=");
    const value = pair.slice(at + 1).trim();
    if (pair.slice(0, at).trim() === languageCookie && isLanguage(value)) return value;
  }
  return undefined;
}

/** Returns the tags of an `Accept-Language` header, the most wanted first; none that the browser refuses with `q=0`. */
function acceptedTags(header: string): string[] {
  return header
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((text) => text.trim());
      const quality = parameters.find((text) => /^q=/i.test(text))?.slice(2);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}
