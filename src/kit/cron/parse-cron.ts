/** The minutes, hours, days and months at which a cron expression fires, by the wall clock. */
export interface CronPattern {
  minutes: readonly number[];
  hours: readonly number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  /** 0 is Sunday. */
  weekdays: ReadonlySet<number>;
  /** True if one of the two restricts days, so that both must fit; if both do, one is enough, as in every cron. */
  needsBoth: boolean;
  /** True if it fires in every hour or each nth, so that it follows time that passes rather than a time of day. */
  isInterval: boolean;
}

interface Field {
  name: string;
  min: number;
  max: number;
  names?: readonly string[];
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const minute: Field = { name: "minute", min: 0, max: 59 };
const hour: Field = { name: "hour", min: 0, max: 23 };
const day: Field = { name: "day of the month", min: 1, max: 31 };
const month: Field = { name: "month", min: 1, max: 12, names: monthNames };
const weekday: Field = { name: "day of the week", min: 0, max: 7, names: weekdayNames };

const nicknames = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

/** The longest expression that is read. */
export const cronCharsMax = 256;

/** Reads five fields (minute, hour, day of the month, month, day of the week) or a name such as `@daily`. Returns the fault as a text. */
export function parseCron(source: string): CronPattern | { fault: string } {
  if (source.length > cronCharsMax) return { fault: `has more than ${cronCharsMax} characters` };
  const trimmed = source.trim().toLowerCase();
  const fields = (nicknames.get(trimmed) ?? trimmed).split(/\s+/);
  if (fields.length !== 5)
    return { fault: "must have five fields: minute, hour, day of the month, month, day of the week" };
  try {
    return patternOf(fields);
  } catch (thrown) {
    if (thrown instanceof CronFault) return { fault: thrown.message };
    throw thrown;
  }
}

class CronFault extends Error {}

function patternOf([minutes = "", hours = "", days = "", months = "", weekdays = ""]: string[]): CronPattern {
  const pattern = {
    minutes: valuesOf(minutes, minute),
    hours: valuesOf(hours, hour),
    days: new Set(valuesOf(days, day)),
    months: new Set(valuesOf(months, month)),
    // Sunday is 0 and 7.
    weekdays: new Set(valuesOf(weekdays, weekday).map((value) => value % 7)),
    needsBoth: days.startsWith("*") || weekdays.startsWith("*"),
    isInterval: hours.startsWith("*"),
  };
  if (
    ![...pattern.months].some(
      (one) => [...pattern.days].some((date) => date <= lastDay(one)) || !pattern.needsBoth,
    )
  )
    throw new CronFault("fires never: none of its months has such a day");
  return pattern;
}

const lastDay = (one: number) => (one === 2 ? 29 : [4, 6, 9, 11].includes(one) ? 30 : 31);

function valuesOf(text: string, field: Field): number[] {
  const values = new Set<number>();
  for (const part of text.split(",")) for (const value of rangeOf(part, field)) values.add(value);
  return [...values].sort((a, b) => a - b);
}

function rangeOf(part: string, field: Field): number[] {
  const [, range = "", stepText] = /^([^/]*)(?:\/(\d{1,4}))?$/.exec(part) ?? [];
  if (range === "") throw new CronFault(`has ${JSON.stringify(part)} as ${field.name}`);
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step === 0) throw new CronFault(`has a step of 0 for the ${field.name}`);
  const [first, last] = boundsOf(range, stepText !== undefined, field);
  if (first > last) throw new CronFault(`has the range ${range} backwards for the ${field.name}`);
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

function boundsOf(range: string, hasStep: boolean, field: Field): [number, number] {
  if (range === "*") return [field.min, field === weekday ? 6 : field.max];
  const ends = range.split("-");
  if (ends.length > 2) throw new CronFault(`has ${JSON.stringify(range)} as ${field.name}`);
  const [first, last] = ends.map((end) => numberOf(end, field));
  if (first === undefined) throw new CronFault(`has ${JSON.stringify(range)} as ${field.name}`);
  return [first, last ?? (hasStep ? field.max : first)];
}

function numberOf(text: string, field: Field): number {
  const named = field.names?.indexOf(text) ?? -1;
  if (named !== -1) return named + (field === month ? 1 : 0);
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.min && value <= field.max) return value;
  throw new CronFault(
    `has ${JSON.stringify(text)} as ${field.name}, which goes from ${field.min} to ${field.max}`,
  );
}
