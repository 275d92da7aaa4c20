import { checkBySchema } from "../../../src/engine/structured/schema-check.ts";
import { vetSchema } from "../../../src/engine/structured/vet-schema.ts";
import { fixedAnswer } from "../../../src/evals/checks/observation.ts";
import { readSentEval } from "../../../src/evals/hosted/read-eval.ts";
import { inPieces } from "../../../src/kit/concurrency/others-turn.ts";
import { normalized } from "../../../src/kit/text/normalize.ts";
import { hostileChecks, hostileDocuments, judgeOne, marks } from "../../../tests/support/hostile-evals.ts";
import { fill, times } from "../hostile.ts";
import { type BlockRow, sized } from "./block-row.ts";

export const evalRows = (): BlockRow[] => [
  ...hostileChecks.map(([name, checks, answer]) =>
    sized(`${checks.length} checks of an eval: ${name}`, answer, () =>
      judgeOne(checks, fixedAnswer("q", answer)),
    ),
  ),
  ...hostileDocuments.map(([name, value]) =>
    sized(`storing an eval: ${name}`, JSON.stringify(value), () => readSentEval({ format: "json", value })),
  ),
  {
    input: "vetting a schema of patterns without case",
    size: "64 KiB",
    work: () =>
      vetSchema(
        { allOf: times(60, (n) => ({ pattern: `(?i)${fill("[\\x{100}-\\x{fffff}]", 900)}${n}` })) },
        "s",
      ),
  },
  ...hostileChecks
    .filter(([, [check]]) => Object.hasOwn(check ?? {}, "json_schema"))
    .map(([name, [check], answer]) => ({
      input: `arguments of a tool by a schema: ${name}`,
      size: "one value",
      work: () =>
        inPieces(
          checkBySchema((check as { json_schema: Record<string, unknown> }).json_schema)(JSON.parse(answer)),
        ),
    })),
  sized("normalizing marks", marks, () => normalized(marks, "NFKC")),
];
