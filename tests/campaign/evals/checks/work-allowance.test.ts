import { test } from "bun:test";
import {
  expectCompiledInPieces,
  expectPieces,
  hostileChecks,
  hostileDocuments,
} from "../../../support/hostile-evals.ts";

test.each(hostileChecks)(
  "checks of an eval hold the main thread for no more than a piece: %s",
  (name, checks, answer) => expectPieces(name, checks, answer),
);

test.each(hostileDocuments)(
  "an eval that takes too long to compile is 400 and names the check: %s",
  (name, document) => expectCompiledInPieces(name, document),
);
