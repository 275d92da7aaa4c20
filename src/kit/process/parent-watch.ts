import { parentPort } from "node:worker_threads";
import { systemClock } from "../clock.ts";

const LOOK_MS = 200;

/* The thread of `dieWithParent`. An orphan gets another parent: the system's first process or one that adopts orphans. */
parentPort?.on("message", (parent: number) => {
  const look = () => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
    systemClock.timer(LOOK_MS, look);
  };
  look();
});
