import { systemClock } from "../../../../../src/kit/clock.ts";
import { createLogger } from "../../../../../src/kit/log.ts";
import { watchStalls } from "../../../../../src/kit/process/stalls/stall-watch.ts";
import { SecretRegistry } from "../../../../../src/kit/secrets/secret-registry.ts";

/* A server whose main thread stalls at each line on stdin for so many seconds; it says on stdout when it begins. */
const [folder = "", format = "json"] = process.argv.slice(2);
const log = createLogger({
  level: "info",
  format: "json",
  write: (lines) => process.stderr.write(lines),
  secrets: new SecretRegistry(),
  clock: systemClock,
});
process.on("SIGTERM", () => {
  process.stdout.write("asked to stop\n");
  process.exit(0);
});
const watch = watchStalls({
  clock: systemClock,
  log,
  format: format === "text" ? "text" : "json",
  folder,
  limits: { stallSeconds: 2, graceSeconds: 2 },
});
watch.note("GET", "http://127.0.0.1:8000/healthz");
process.stdout.write("ready\n");
for await (const line of console) {
  const [seconds = "0", method = "", url = ""] = line.split(" ");
  watch.note(method, url);
  process.stdout.write("stalls\n");
  const until = systemClock.monotonicMs() + Number(seconds) * 1000;
  while (systemClock.monotonicMs() < until);
}
