import type { MlPrediction } from "../../../contracts/daemon/models/ml.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import type { Tensor, TensorSlot } from "../../../onnx/onnx-runtime.ts";
import { elementKindOf, type TensorElement } from "./elements.ts";

type Given = MlPrediction["inputs"];

const problemsMax = 20;

/** Converts a request's inputs to the model's tensors. Throws AppError `invalid_request` that lists every invalid input. */
export function readInputs(given: Given, slots: readonly TensorSlot[]): Record<string, Tensor> {
  const problems: Problem[] = [];
  const tensors: Record<string, Tensor> = Object.create(null);
  for (const name of Object.keys(given)) {
    if (!slots.some((slot) => slot.name === name)) problems.push(unknownInput(name, slots));
  }
  for (const slot of slots) {
    const input = Object.hasOwn(given, slot.name) ? given[slot.name] : undefined;
    const read = input === undefined ? "is missing: the model requires it" : readInput(input, slot);
    if (typeof read === "string") problems.push({ path: `inputs.${slot.name}`, message: read });
    else tensors[slot.name] = read;
  }
  const [first] = problems;
  if (first === undefined) return { ...tensors };
  throw new AppError("invalid", "invalid_request", `The body is not valid: ${first.path} ${first.message}.`, {
    details: { problems: problems.slice(0, problemsMax) },
  });
}

/** Returns the tensor, or the problem with the input. */
function readInput({ shape, data }: Given[string], slot: TensorSlot): Tensor | string {
  const kind = elementKindOf(slot.type);
  if (kind === undefined) return `is of type ${slot.type}, which can't be sent`;
  const fault = shapeFault(shape, slot.shape) ?? countFault(shape, data.length);
  if (fault !== undefined) return fault;
  const at = data.findIndex((element) => !kind.fits(element));
  if (at !== -1)
    return `must have ${kind.means} (${slot.type}), but element ${at} is ${elementText(data[at])}`;
  return tensorOf(kind, shape, data);
}

const tensorOf = (
  { type, collect }: TensorElement,
  shape: readonly number[],
  data: Given[string]["data"],
): Tensor => ({
  type,
  shape,
  data: collect(data),
});

/** If the model does not declare its shape, the model itself checks it. */
function shapeFault(shape: readonly number[], wanted: readonly number[]): string | undefined {
  if (wanted.length === 0) return undefined;
  const fits =
    shape.length === wanted.length && wanted.every((length, at) => length < 0 || shape[at] === length);
  const form = wanted.map((length) => (length < 0 ? "any" : length)).join(", ");
  return fits ? undefined : `must have the shape [${form}], not [${shape.join(", ")}]`;
}

function countFault(shape: readonly number[], count: number): string | undefined {
  const product = shape.reduce((length, next) => length * next, 1);
  if (product === count) return undefined;
  return `has ${count} elements, but its shape [${shape.join(", ")}] needs ${product}`;
}

function unknownInput(name: string, slots: readonly TensorSlot[]): Problem {
  const names = slots.map((slot) => slot.name);
  const nearest = didYouMean(name, names);
  const mend = nearest === undefined ? `its inputs are ${names.join(", ")}` : `did you mean ${nearest}?`;
  return { path: `inputs.${name.slice(0, 100)}`, message: `is not an input of the model; ${mend}` };
}

function elementText(element: unknown): string {
  const text = JSON.stringify(element) ?? "missing";
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
