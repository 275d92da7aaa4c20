/** One line of a metrics page. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** One metric with its header. */
export interface MetricFamily {
  name: string;
  type: string;
  help: string;
  samples: Sample[];
}

const nameForm = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const labelForm = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const headLine = new RegExp(`^# (HELP|TYPE) (${nameForm}) (.*)$`);
const sampleLine = new RegExp(`^(${nameForm})(?:\\{((?:${labelForm},?)*)\\})? (\\S+)$`);
const suffixes: Record<string, readonly string[]> = {
  counter: [""],
  gauge: [""],
  histogram: ["_bucket", "_sum", "_count"],
};

/**
 * Parses a page in Prometheus' text format (version 0.0.4) as strictly as its own checker. Throws for a malformed line, a sample without
 * HELP and TYPE, a duplicate series, a histogram whose buckets do not add up, and names against the conventions.
 */
export function readExposition(text: string): Map<string, MetricFamily> {
  if (!text.endsWith("\n")) throw new Error("The page does not end with a line break.");
  const families = new Map<string, MetricFamily>();
  const series = new Set<string>();
  let family: MetricFamily | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    if (line === "") continue;
    const [, keyword, name = "", rest = ""] = headLine.exec(line) ?? [];
    if (keyword === "HELP") {
      if (families.has(name)) throw new Error(`${name} has two heads.`);
      family = { name, type: "", help: rest, samples: [] };
      families.set(name, family);
    } else if (keyword === "TYPE") {
      if (family?.name !== name || family.type !== "")
        throw new Error(`TYPE of ${name} does not follow its HELP.`);
      family.type = rest;
    } else {
      const sample = readSample(line);
      const names = (suffixes[family?.type ?? ""] ?? []).map((suffix) => `${family?.name}${suffix}`);
      if (!names.includes(sample.name)) throw new Error(`${sample.name} stands under another metric's head.`);
      const id = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (series.has(id)) throw new Error(`${id} stands twice.`);
      series.add(id);
      family?.samples.push(sample);
    }
  }
  for (const each of families.values()) checkFamily(each);
  return families;
}

function readSample(line: string): Sample {
  const [, name = "", labelText = "", valueText = ""] = sampleLine.exec(line) ?? [];
  const value = valueText === "+Inf" ? Number.POSITIVE_INFINITY : Number(valueText);
  if (name === "" || Number.isNaN(value)) throw new Error(`No sample: ${line}`);
  const labels: Record<string, string> = {};
  for (const [label] of labelText.matchAll(new RegExp(labelForm, "g"))) {
    const at = label.indexOf("=");
    const key = label.slice(0, at);
    if (key in labels) throw new Error(`The label ${key} stands twice: ${line}`);
    labels[key] = unescapeLabel(label.slice(at + 2, -1));
  }
  return { name, labels, value };
}

function unescapeLabel(text: string): string {
  return text.replace(/\\(["\\n])/g, (_, character) => (character === "n" ? "\n" : character));
}

function checkFamily({ name, type, help, samples }: MetricFamily): void {
  if (help === "" || !(type in suffixes)) throw new Error(`${name} has no help or no type.`);
  if (type === "counter" && !name.endsWith("_total"))
    throw new Error(`The counter ${name} does not end in _total.`);
  if (type !== "counter" && name.endsWith("_total"))
    throw new Error(`${name} ends in _total and is a ${type}.`);
  if (type === "counter" && samples.some(({ value }) => value < 0)) throw new Error(`${name} is below zero.`);
  if (type === "histogram") checkHistogram(name, samples);
}

/** Checks for each set of labels that buckets rise, and that the last has no bound and equals the count. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  for (const [labels, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map((sample) => Number(sample.labels.le?.replace("+Inf", "Infinity")));
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    const rises = buckets.every(
      ({ value }, index) =>
        index === 0 ||
        (value >= (buckets[index - 1]?.value ?? 0) && (bounds[index] ?? 0) > (bounds[index - 1] ?? 0)),
    );
    const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && buckets.at(-1)?.value === count;
    if (!rises || !isWhole || group.length !== buckets.length + 2)
      throw new Error(`${name}${labels} does not add up.`);
  }
}
