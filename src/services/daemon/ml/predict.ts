import type { MlPrediction, MlPredictionResult } from "../../../contracts/daemon/models/ml.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { elementsOf } from "./elements.ts";
import type { DaemonMl } from "./loaded-models.ts";
import { getModel } from "./present-model.ts";
import { readInputs } from "./read-inputs.ts";

/** Maximum number of elements in an answer. A million would block all other requests for a quarter of a second. */
const ELEMENTS_MAX = 250_000;

/** Runs a registered model once, after loading it if needed. */
export async function predict(
  { ml, clock }: { ml: DaemonMl; clock: Clock },
  name: string,
  { version, inputs }: MlPrediction,
  signal: AbortSignal,
): Promise<MlPredictionResult> {
  const model = await getModel(ml, name, version);
  const session = await ml.loaded.session(model.path, signal);
  const feeds = readInputs(inputs, session.inputs);
  const startMs = clock.monotonicMs();
  const outputs = await session.run(feeds, signal);
  const elements = Object.values(outputs).reduce((sum, { data }) => sum + data.length, 0);
  if (elements > ELEMENTS_MAX) {
    throw new AppError(
      "unprocessable",
      "output_too_large",
      `The model returned ${elements} numbers; an answer may have at most ${ELEMENTS_MAX}.`,
      { details: { hint: "Send fewer rows at once." } },
    );
  }
  const presented = Object.entries(outputs).map(([output, tensor]) => [
    output,
    { type: tensor.type, shape: [...tensor.shape], data: elementsOf(tensor) },
  ]);
  return {
    model: model.name,
    version: model.version,
    outputs: Object.fromEntries(presented),
    duration_ms: clock.monotonicMs() - startMs,
  };
}
