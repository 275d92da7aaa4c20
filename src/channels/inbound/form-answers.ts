import { isRecord } from "../../kit/json/is-record.ts";
import { parseJson } from "../../kit/json/parse-json.ts";

const linesMax = 100;
const valueCharsMax = 4_000;

/** Answers of a form as its provider sends them; undefined if the text is not an object of JSON. */
export function formAnswers(json: string | undefined): Record<string, unknown> | undefined {
  const parsed = json === undefined ? undefined : parseJson(json);
  return isRecord(parsed) ? parsed : undefined;
}

/** A line for each answer, such as `Rating: Good`. The token of the form is none. */
export function answerLines(answers: Record<string, unknown>): string[] {
  const given = Object.entries(answers)
    .filter(([name]) => name !== "flow_token")
    .slice(0, linesMax);
  const labels = given.map(([name]) => labelOf(name));
  return given.map(([name, value], index) => {
    const label = labels[index] ?? name;
    const isUnique = labels.filter((other) => other === label).length === 1;
    return `${isUnique ? label : name}: ${valueText(value)}`;
  });
}

/** Forms name a field by its screen and place: `screen_0_Rating_0`. */
const labelOf = (name: string): string =>
  /^screen_\d+_(.+?)_\d+$/.exec(name)?.[1]?.replaceAll("_", " ") ?? name;

const valueText = (value: unknown): string =>
  (Array.isArray(value)
    ? value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ")
    : typeof value === "string"
      ? value
      : JSON.stringify(value)
  ).slice(0, valueCharsMax);
