import { writeSync } from "node:fs";
import { replaceFile } from "../../../src/storage/files/replace-file.ts";

// Writes one of two texts in turn to the file of its argument until it is killed.
const path = process.argv[2] ?? "";
for (let number = 0; ; number++) {
  replaceFile(path, (number % 2 === 0 ? "a" : "b").repeat(300_000), 0o644);
  writeSync(1, ".");
}
