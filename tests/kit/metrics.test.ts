import { expect, test } from "bun:test";
import { MetricRegistry, metricsIn } from "../../src/kit/metrics.ts";
import { readExposition } from "../support/exposition.ts";

test("a page has every series once, with escaped labels, and is well formed", () => {
  const registry = new MetricRegistry();
  const { counter, gauge, histogram } = metricsIn(registry);
  const runs = counter("runs_total", "Runs,\nby end.", ["agent", "status"]);
  const odd = 'a "b"\\c\nd';
  runs.inc({ agent: odd, status: "ok" });
  runs.of(odd, "ok").inc(2);
  runs.of("ok", odd).inc(0.5);
  counter("calls_total", "Calls.").inc();
  let depth = 3;
  gauge("depth", "Depth.", [], (own) => own.set(depth));
  const workers = gauge("running", "Running.", ["worker"]);
  workers.set({ worker: "a" }, -1);
  const seconds = histogram("run_seconds", "Seconds.", [0.1, 1, 10], ["agent"]);
  for (const value of [0.05, 0.1, 0.5, 10, 11]) seconds.observe({ agent: "a" }, value);
  depth = 4;
  const page = readExposition(registry.text());
  expect(page.get("runs_total")?.samples).toEqual([
    { name: "runs_total", labels: { agent: odd, status: "ok" }, value: 3 },
    { name: "runs_total", labels: { agent: "ok", status: odd }, value: 0.5 },
  ]);
  expect(page.get("depth")?.samples).toEqual([{ name: "depth", labels: {}, value: 4 }]);
  expect(page.get("run_seconds")?.samples.map(({ labels: { le }, value }) => [le, value])).toEqual([
    ["0.1", 2],
    ["1", 3],
    ["10", 4],
    ["+Inf", 5],
    [undefined, 21.65],
    [undefined, 5],
  ]);
  expect(registry.text()).toContain("# HELP runs_total Runs,\\nby end.\n# TYPE runs_total counter\n");
});

test("metrics without labels are there from the start, others with their first series", () => {
  const registry = new MetricRegistry();
  const { counter, histogram } = metricsIn(registry);
  counter("none_total", "None.");
  counter("some_total", "Some.", ["kind"]);
  histogram("none_seconds", "None.", [1]);
  expect(registry.text()).toBe(
    [
      "# HELP none_total None.",
      "# TYPE none_total counter",
      "none_total 0",
      "",
      "# HELP some_total Some.",
      "# TYPE some_total counter",
      "",
      "# HELP none_seconds None.",
      "# TYPE none_seconds histogram",
      'none_seconds_bucket{le="1"} 0',
      'none_seconds_bucket{le="+Inf"} 0',
      "none_seconds_sum 0",
      "none_seconds_count 0",
      "",
    ].join("\n"),
  );
});

test("wrong use is refused: a name twice, a falling counter, too few labels, a value that is not a number", () => {
  const registry = new MetricRegistry();
  const { counter, histogram } = metricsIn(registry);
  const runs = counter("runs_total", "Runs.", ["agent", "status"]);
  expect(() => counter("runs_total", "Again.")).toThrow("two metrics named runs_total");
  expect(() => runs.of("a").inc()).toThrow("has 2 labels, and 1 were given");
  expect(() => runs.of("a", "ok").inc(-1)).toThrow("can't be increased by -1");
  expect(() => histogram("s", "S.", [1]).observe(Number.NaN)).toThrow("can't observe NaN");
});
