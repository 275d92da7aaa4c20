import { Counter, Gauge, Histogram, type Registry } from "prom-client";

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
    buckets: number[],
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

export function metricsIn(registry: Registry): Metrics {
  const registers = [registry];
  return {
    counter: (name, help, labelNames = []) => new Counter({ name, help, labelNames, registers }),
    histogram: (name, help, buckets, labelNames = []) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
    gauge: (name, help, labelNames = [], read) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        ...(read && {
          collect() {
            read(this);
          },
        }),
      }),
  };
}
