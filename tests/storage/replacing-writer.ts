import { writeSync } from "node:fs";
import { replaceFile } from "../../src/storage/replace-file.ts";

// Gives the file of its argument one of two texts after the other until it is killed.
const path = process.argv[2] ?? "";
for (let number = 0; ; number++) {
  replaceFile(path, (number % 2 === 0 ? "a" : "b").repeat(300_000), 0o644);
  writeSync(1, ".");
}
