import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { playCassetteFile } from "../../support/cassettes.ts";

const folder = join(import.meta.dir, "fixtures");
const files = readdirSync(folder).filter((name) => name.endsWith(".cassette.json"));

test("there are recorded runs to play", () => expect(files.length).toBeGreaterThan(0));

// A difference from the recording is a change of the engine. If it is intended, record again with `record-kept.ts`.
test.each(files)("%s goes as it went when it was recorded", async (name) => {
  const { identical, divergence, warnings } = await playCassetteFile(join(folder, name));
  expect({ identical, divergence, warnings }).toEqual({
    identical: true,
    divergence: undefined,
    warnings: [],
  });
});
