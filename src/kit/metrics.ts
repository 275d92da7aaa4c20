/*
 * Counters, gauges and histograms in Prometheus' text format (version 0.0.4). Runs count a dozen times each, so a series is found by its
 * label values without making a key or an object.
 */

/** Labels of one series, in the order in which they were declared. */
type Labels<Label extends string> = Readonly<Record<Label, string>>;

interface MetricTerms<Label extends string> {
  name: string;
  help: string;
  labels: readonly Label[];
}

/** One metric with its series. */
interface Metric {
  readonly name: string;
  /** Returns the lines of the metric, its head included. */
  lines(): string[];
}

/** The metrics of one page. */
export class MetricRegistry {
  readonly contentType = "text/plain; version=0.0.4; charset=utf-8";
  readonly #metrics = new Map<string, Metric>();

  /** Adds a metric; throws if there is one of that name. */
  add(metric: Metric): void {
    if (this.#metrics.has(metric.name)) throw new Error(`There are two metrics named ${metric.name}.`);
    this.#metrics.set(metric.name, metric);
  }

  /** Returns the page. */
  text(): string {
    const blocks = [...this.#metrics.values()].map((metric) => metric.lines().join("\n"));
    return `${blocks.join("\n\n")}\n`;
  }
}

type Branch<Series> = Map<string, Branch<Series> | Series>;

/** The series of a metric by their label values: one map for each label. */
abstract class Family<Label extends string, Series extends object> implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #type: string;
  readonly #labels: readonly Label[];
  readonly #root: Branch<Series> = new Map();
  readonly #all: { values: readonly string[]; series: Series }[] = [];

  constructor({ name, help, labels }: MetricTerms<Label>, type: string) {
    this.name = name;
    this.#help = help;
    this.#type = type;
    this.#labels = labels;
  }

  protected abstract create(): Series;
  protected abstract samples(series: Series, labels: string, withLabel: (first: string) => string): string[];

  /** Returns the series with these label values, in the order in which the labels were declared. */
  of(...values: readonly string[]): Series {
    let branch = this.#root;
    const last = values.length - 1;
    for (let at = 0; at < last; at++) {
      const value = values[at] ?? "";
      let next = branch.get(value) as Branch<Series> | undefined;
      if (next === undefined) {
        next = new Map();
        branch.set(value, next);
      }
      branch = next;
    }
    const value = values[last] ?? "";
    return (branch.get(value) as Series | undefined) ?? this.#add(branch, value, values);
  }

  /** Returns the series with these labels. */
  with(labels: Labels<Label>): Series {
    return this.of(...this.#labels.map((label) => labels[label]));
  }

  lines(): string[] {
    return [
      `# HELP ${this.name} ${this.#help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}`,
      `# TYPE ${this.name} ${this.#type}`,
      ...this.#all.flatMap(({ values, series }) => {
        const own = this.#labels.map((label, at) => `${label}="${escaped(values[at] ?? "")}"`).join(",");
        const withLabel = (first: string) => `{${own === "" ? first : `${first},${own}`}}`;
        return this.samples(series, own === "" ? "" : `{${own}}`, withLabel);
      }),
    ];
  }

  #add(branch: Branch<Series>, value: string, values: readonly string[]): Series {
    if (values.length !== this.#labels.length)
      throw new Error(`${this.name} has ${this.#labels.length} labels, and ${values.length} were given.`);
    const series = this.create();
    branch.set(value, series);
    this.#all.push({ values: [...values], series });
    return series;
  }
}

const escaped = (value: string) => value.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"');

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

/** One number that rises. */
class Count {
  value = 0;

  /** Adds `by`, which is not negative. */
  inc(by = 1): void {
    if (!(by >= 0)) throw new Error(`A counter can't be increased by ${by}.`);
    this.value += by;
  }
}

export class Counter<Label extends string = never> extends Family<Label, Count> {
  constructor(terms: MetricTerms<Label>) {
    super(terms, "counter");
    if (terms.labels.length === 0) this.of();
  }

  inc(...given: [by?: number] | [labels: Labels<Label>, by?: number]): void {
    const [first, by] = given;
    if (typeof first === "object") this.with(first).inc(by);
    else this.of().inc(first);
  }

  protected create(): Count {
    return new Count();
  }

  protected samples({ value }: Count, labels: string): string[] {
    return [`${this.name}${labels} ${numberText(value)}`];
  }
}

/** One number that is set. */
class Level {
  value = 0;

  set(value: number): void {
    this.value = value;
  }
}

export class Gauge<Label extends string = never> extends Family<Label, Level> {
  readonly #collect: ((gauge: Gauge<Label>) => void) | undefined;

  /** `collect` sets the value each time it is read. */
  constructor(terms: MetricTerms<Label>, collect?: (gauge: Gauge<Label>) => void) {
    super(terms, "gauge");
    this.#collect = collect;
    if (terms.labels.length === 0) this.of();
  }

  set(...given: [value: number] | [labels: Labels<Label>, value: number]): void {
    const [first, value] = given;
    if (typeof first === "object") this.with(first).set(value ?? 0);
    else this.of().set(first);
  }

  /** Adds 1 to a gauge without labels. */
  inc(): void {
    this.of().value++;
  }

  /** Subtracts 1 from a gauge without labels. */
  dec(): void {
    this.of().value--;
  }

  override lines(): string[] {
    this.#collect?.(this);
    return super.lines();
  }

  protected create(): Level {
    return new Level();
  }

  protected samples({ value }: Level, labels: string): string[] {
    return [`${this.name}${labels} ${numberText(value)}`];
  }
}

/** Observed values by bucket. */
class Distribution {
  readonly #bounds: readonly number[];
  /** Values by the first bound that is not below them; the last place is for values above all bounds. */
  readonly counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    if (!Number.isFinite(value)) throw new Error(`A histogram can't observe ${value}.`);
    this.sum += value;
    this.count++;
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at++;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
  }
}

export class Histogram<Label extends string = never> extends Family<Label, Distribution> {
  readonly #bounds: readonly number[];

  constructor(terms: MetricTerms<Label>, bounds: readonly number[]) {
    super(terms, "histogram");
    this.#bounds = bounds;
    if (terms.labels.length === 0) this.of();
  }

  observe(...given: [value: number] | [labels: Labels<Label>, value: number]): void {
    const [first, value] = given;
    if (typeof first === "object") this.with(first).observe(value ?? 0);
    else this.of().observe(first);
  }

  protected create(): Distribution {
    return new Distribution(this.#bounds);
  }

  protected samples(
    { counts, sum, count }: Distribution,
    labels: string,
    withLabel: (first: string) => string,
  ): string[] {
    let below = 0;
    const buckets = this.#bounds.map((bound, at) => {
      below += counts[at] ?? 0;
      return `${this.name}_bucket${withLabel(`le="${bound}"`)} ${below}`;
    });
    return [
      ...buckets,
      `${this.name}_bucket${withLabel('le="+Inf"')} ${count}`,
      `${this.name}_sum${labels} ${numberText(sum)}`,
      `${this.name}_count${labels} ${count}`,
    ];
  }
}

/** Creates metrics of one registry; their help texts are those of `/metrics`. */
export interface Metrics {
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
  ): Counter<Label>;
  histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labels?: readonly Label[],
  ): Histogram<Label>;
  gauge<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    /** Sets the value each time it is read. */
    collect?: (gauge: Gauge<Label>) => void,
  ): Gauge<Label>;
}

export function metricsIn(registry: MetricRegistry): Metrics {
  const added = <M extends Metric>(metric: M): M => {
    registry.add(metric);
    return metric;
  };
  return {
    counter: (name, help, labels = []) => added(new Counter({ name, help, labels })),
    histogram: (name, help, buckets, labels = []) => added(new Histogram({ name, help, labels }, buckets)),
    gauge: (name, help, labels = [], collect) => added(new Gauge({ name, help, labels }, collect)),
  };
}
