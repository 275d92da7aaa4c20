import type { Tensor } from "../onnx-runtime.ts";
import type { Engine, EngineTensor } from "./engine.ts";
import { checkSize, fromEngine, toEngine } from "./engine-tensors.ts";
import type { Loaded } from "./loaded-models.ts";
import { ModelFault, reasonOf } from "./model-fault.ts";

/** Runs one forward pass with our tensors. Throws ModelFault. */
export async function runModel(
  engine: Engine,
  model: Loaded,
  feeds: Readonly<Record<string, Tensor>>,
): Promise<Record<string, Tensor>> {
  const given = Object.entries(feeds).map(([name, tensor]): [string, EngineTensor] => {
    const slot = model.inputs.find((input) => input.name === name);
    if (slot === undefined) throw new ModelFault("onnx_failed", `has no input named ${name}`);
    return [name, toEngine(engine, slot, tensor)];
  });
  const outputs = await runSession(model, Object.fromEntries(given));
  checkSize(outputs);
  return Object.fromEntries(
    Object.entries(outputs).map(([name, tensor]) => [name, fromEngine(name, tensor)]),
  );
}

/** Runs one forward pass with the engine's tensors. Throws ModelFault. */
export async function runSession(
  { session, inputs }: Loaded,
  feeds: Readonly<Record<string, EngineTensor>>,
): Promise<Record<string, EngineTensor>> {
  const missing = inputs.find(({ name }) => !Object.hasOwn(feeds, name));
  if (missing) throw new ModelFault("onnx_failed", `needs the input ${missing.name}`);
  try {
    return { ...(await session.run(feeds)) } as Record<string, EngineTensor>;
  } catch (thrown) {
    throw new ModelFault("onnx_failed", `failed: ${reasonOf(thrown)}`);
  }
}
