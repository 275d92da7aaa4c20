import type { ErrorObject } from "ajv/dist/2020";

/** Maximum problems shown: a model fixes only a few at a time. */
const shownMax = 5;
const wordsCharsMax = 200;

/** Describes the first few problems of a value and their positions, for a person or a model to fix. */
export function explainBreaches(breaches: readonly ErrorObject[]): string {
  const sentences = new Set<string>();
  for (const breach of breaches) {
    // The error of `if` is left out, because the broken schema reports its own.
    if (breach.keyword !== "if") sentences.add(`${placeOf(breach)} ${wordsFor(breach)}`);
    if (sentences.size > shownMax) break;
  }
  const firstSentences = [...sentences].slice(0, shownMax);
  return sentences.size > shownMax ? `${firstSentences.join("; ")}; and more` : firstSentences.join("; ");
}

/**
 * The position as `items[2].price`, from the validator's JSON Pointer. Missing or additional properties are named as if they were present.
 */
function placeOf({ instancePath, params }: ErrorObject): string {
  const extra: unknown = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const segments = instancePath.split("/").slice(1);
  const names = segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  let place = "";
  for (const name of typeof extra === "string" ? [...names, extra] : names) {
    if (/^[0-9]+$/.test(name)) place += `[${name}]`;
    else place += place === "" ? name : `.${name}`;
  }
  return place === "" ? "the value" : cut(place);
}

function wordsFor({ keyword, params, message = "is not as the schema says" }: ErrorObject): string {
  switch (keyword) {
    case "type":
      return `must be ${[params.type].flat().map(withArticle).join(" or ")}`;
    case "required":
      return "is missing";
    case "additionalProperties":
    case "unevaluatedProperties":
    case "false schema":
      return "is not allowed";
    case "enum":
      return cut(`must be one of ${JSON.stringify(params.allowedValues).slice(1, -1)}`);
    case "const":
      return cut(`must be ${JSON.stringify(params.allowedValue)}`);
    case "format":
      return `must be a valid ${String(params.format)}`;
    default:
      return cut(message.replace("NOT", "not"));
  }
}

function withArticle(type: unknown): string {
  if (type === "null") return "null";
  return `${/^[aio]/.test(String(type)) ? "an" : "a"} ${String(type)}`;
}

function cut(words: string): string {
  return words.length > wordsCharsMax ? `${words.slice(0, wordsCharsMax)}…` : words;
}
